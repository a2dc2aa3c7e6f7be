"""What a cursor's surroundings ask the index for, by simple facts of syntax and without any inference of types.

Four kinds of names lead to what the next line may use: names that stand near the cursor or in the enclosing head; names
that the file imports, above all those that it imports and does not use yet; classes whose members the code at the
cursor can reach (its own bases, annotated and constructed variables, attributes set in the class); modules that it
imports as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeassistd.index.imports import OWN_PACKAGE, PACKAGE_LANGUAGES
from codeassistd.index.types import Definition
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, FileFacts, Import, Symbol
from codeassistd.syntax.languages import Language
from codeassistd.syntax.scope import enclosing, names_near
from codeassistd.text import Span, Text

__all__ = ["Wanted", "returned_types", "scope_at", "scopes_at", "wanted_at"]

NEAR_LINES_ABOVE = 20
"""Lines above the cursor whose names are looked up."""
NEAR_LINES_BELOW = 5
"""Lines below the cursor whose names are looked up."""
_MAX_NEAR_BYTES = 4096
_MAX_NAMES = 40
_MAX_IMPORTED = 60
_MAX_TYPES = 24
_MAX_MODULES = 12
#: Bytes of the enclosing function and class that are searched for classes; further up nothing tells about this line.
_MAX_SCOPE_BYTES = 16_384
#: Bytes of a document that imports are looked for in; in a longer one all of them count as used.
_MAX_COUNTED_BYTES = 262_144
_SCOPES = FUNCTION_KINDS | CLASS_KINDS
_BY_COLUMN = frozenset({"python"})

_TYPE = re.compile(r"\b_*[A-Z]\w*[a-z]\w*\b")
"""A name written as most languages write classes: a capital first, and not capitals alone, which are constants."""
_RECEIVER = re.compile(r"(?<![\w.])([a-z_]\w*)\s*(?:\.|->|::)\s*\w")
_ITSELF = frozenset({"self", "this", "cls", "super"})
_PARAMETER = re.compile(r"[(,]\s*[*&]*([a-z_]\w*)\s*(?=[,)=])")
_SUBMODULES: Mapping[str, str] = {"python": ".", "rust": "::"}
"""Languages where a name can be imported that is a module itself, and how its full name is joined."""
_ATTRIBUTE = re.compile(r"\b(?:self|this|@)[.>]*-?>?\s*\w+\s*(?::|:?=)[^\n]*")
"""An attribute of the object itself that is set or declared."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Names to look up, the most wanted first in each list.

    Attributes:
        near: near the cursor, then in the enclosing head.
        unused: imported names that nothing uses yet: who imports a name is about to use it.
        imported: the other imported names.
        types: names of classes, or what may be such, whose members can be reached.
        modules: imports of whole modules.
    """

    near: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    modules: tuple[Import, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names to ask for, each once."""
        return tuple(dict.fromkeys([*self.unused, *self.near, *self.imported]))


def wanted_at(text: Text, offset: int, facts: FileFacts | None, language: Language | None) -> Wanted:
    """What to look up for a cursor at byte `offset`."""
    near = _near(text, offset, facts, language)
    imports = facts.imports if facts is not None else ()
    unused, used = _by_use(text, imports)
    return Wanted(
        near=tuple(near),
        unused=tuple(unused[:_MAX_IMPORTED]),
        imported=tuple(used[:_MAX_IMPORTED]),
        types=tuple(_types(text, offset, facts, language)),
        modules=tuple(_modules(imports, near, language)),
    )


def returned_types(definitions: Sequence[Definition]) -> tuple[str, ...]:
    """Classes that the heads of functions say they return: whoever calls one has such an object."""
    found: dict[str, None] = {}
    for each in definitions:
        if each.kind in FUNCTION_KINDS:
            before, _, behind = each.signature.partition(each.name)
            found |= dict.fromkeys(_TYPE.findall(f"{before} {behind.rpartition(')')[2]}"))
    return tuple(found)[:_MAX_TYPES]


def scope_at(facts: FileFacts | None, text: Text, offset: int) -> str:
    """The qualified name of the definition that the cursor stands in; empty outside of any."""
    scopes = scopes_at(facts, text, offset) if facts is not None else []
    return scopes[0].qualified_name if scopes else ""


def _near(text: Text, offset: int, facts: FileFacts | None, language: Language | None) -> list[str]:
    """Names near the cursor, nearest first, then those of the enclosing definition's head."""
    line = text.line_of(offset)
    start = max(text.line_start(max(0, line - NEAR_LINES_ABOVE)), offset - _MAX_NEAR_BYTES)
    end = min(text.line_end(line + NEAR_LINES_BELOW), offset + _MAX_NEAR_BYTES)
    near = names_near(text, Span(text.letter_start(start), text.letter_start(end)), offset, language)
    symbol = enclosing(facts, offset) if facts is not None else None
    head = _head_names(text, symbol, language) if symbol is not None else []
    return list(dict.fromkeys([*near, *head]))[:_MAX_NAMES]


def _head_names(text: Text, symbol: Symbol, language: Language | None) -> list[str]:
    end = min(symbol.span.end, symbol.span.start + len(symbol.signature.encode("utf-8", "surrogatepass")))
    return names_near(text, Span(symbol.span.start, end), len(text), language)


def _by_use(text: Text, imports: tuple[Import, ...]) -> tuple[list[str], list[str]]:
    """The names that imports bring in: those that stand nowhere else, and the rest; the last import first."""
    unused: list[str] = []
    used: list[str] = []
    for found in reversed(imports):
        if found.name and found.name != "*":
            (used if _is_used(text, found) else unused).append(found.name)
    return unused, used


def _is_used(text: Text, found: Import) -> bool:
    if len(text) > _MAX_COUNTED_BYTES:
        return True
    word = (found.alias or found.name).encode("utf-8", "surrogatepass")
    content, start = text.content, text.line_end(found.line)
    # Most names are used close behind their import, so this ends soon.
    while (start := content.find(word, start)) >= 0:
        end = start + len(word)
        if not _is_word(content[start - 1 : start]) and not _is_word(content[end : end + 1]):
            return True
        start = end
    return False


def _is_word(letter: bytes) -> bool:
    return letter.isalnum() or letter == b"_" or not letter.isascii()


def _modules(imports: tuple[Import, ...], near: list[str], language: Language | None) -> list[Import]:
    """The imports that are of whole modules, or may be: those whose name stands near the cursor first.

    Before them the own package, in languages where a file need not import it.
    """
    places = {name: place for place, name in enumerate(near)}
    joined = _SUBMODULES.get(language.name) if language is not None else None
    found: dict[Import, int] = {}
    if language is not None and language.name in PACKAGE_LANGUAGES:
        found[OWN_PACKAGE] = -1
    for each in imports:
        name = each.alias or each.name or each.module.rpartition(joined or "/")[2]
        place = places.get(name, len(places))
        if each.name in {"", "*"}:
            found[each] = place
            if joined == "." and not each.alias and "." in each.module.lstrip("."):
                # `import a.b` brings `a`.
                outer = each.module.partition(".")[0]
                found.setdefault(Import(outer, "", "", each.line), places.get(outer, len(places)))
        elif joined is not None and each.name[0].islower():
            module = each.module + ("" if each.module.endswith(joined) else joined) + each.name
            found[Import(module, "", each.alias, each.line)] = place
    return sorted(found, key=lambda each: found[each])[:_MAX_MODULES]


def _types(text: Text, offset: int, facts: FileFacts | None, language: Language | None) -> list[str]:
    """Names of classes that the code at the cursor can have objects of, the likeliest first."""
    if facts is None:
        return []
    scopes = scopes_at(facts, text, offset)
    function = next((symbol for symbol in scopes if symbol.kind in FUNCTION_KINDS), None)
    holder = next((symbol for symbol in scopes if symbol.kind in CLASS_KINDS), None)
    start = function.span.start if function is not None else text.line_start(max(0, text.line_of(offset) - 20))
    body = Span(text.letter_start(max(start, offset - _MAX_SCOPE_BYTES)), offset)
    found = [name for name in names_near(text, body, offset, language) if _TYPE.fullmatch(name)]
    if holder is not None:
        found += holder.bases
        inside = text.slice(Span(holder.span.start, min(holder.span.end, holder.span.start + _MAX_SCOPE_BYTES)))
        found += _TYPE.findall("\n".join(_ATTRIBUTE.findall(inside)))
    found += [each.name for each in reversed(facts.imports) if _TYPE.fullmatch(each.name)]
    found += _named_alike(text.slice(body))
    own = {symbol.name: symbol.bases for symbol in facts.symbols}
    # The open file shows its own classes; what they inherit may be elsewhere.
    foreign = (name for each in found for name in own.get(each, (each,)))
    return list(dict.fromkeys(foreign))[:_MAX_TYPES]


def _named_alike(body: str) -> Iterator[str]:
    """Classes that variables and parameters may be named after: `session` is likely to be a `Session`."""
    names = [*reversed(_RECEIVER.findall(body)), *_PARAMETER.findall(body)]
    for name in dict.fromkeys(names):
        if name in _ITSELF:
            continue
        yield "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def scopes_at(facts: FileFacts, text: Text, offset: int) -> list[Symbol]:
    """The definitions that the cursor stands in, innermost first.

    Judged by indentation where the parser's span has ended before the cursor: the facts may be a few letters older than
    the document, and a blank line at the end of a body belongs to it once it is indented.
    """
    line = text.line_of(offset)
    before = text.slice(Span(text.line_start(line), offset))
    indent = len(before) - len(before.lstrip())
    # Where blocks are what is indented, a line that is not is outside, whatever broken code below it says.
    by_column = facts.language in _BY_COLUMN and not before.strip()
    scopes: list[Symbol] = []
    for symbol in reversed(facts.symbols):
        if symbol.kind not in _SCOPES or symbol.span.start > offset:
            continue
        first_line = text.line_of(symbol.span.start)
        column = symbol.span.start - text.line_start(first_line)
        if (offset <= symbol.span.end and not (by_column and first_line < line)) or column < indent:
            scopes.append(symbol)
            indent = column
    return scopes

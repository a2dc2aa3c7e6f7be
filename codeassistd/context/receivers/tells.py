"""What a piece of source tells of the names in it: which type is written beside one, or what one is made of.

    app: Flask          cart = Cart(1)        with open_cart() as cart:     for line in cart.lines:
    Cart cart = ...     self.cart = cart      isinstance(cart, Cart)        func (c *Cart) add(l Line)

Read by words, a table of styles for the languages; a piece that begins inside a string is read as if it did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from codeassistd.context.receivers.chain import CALL, Chain, chain_at
from codeassistd.context.receivers.written import type_at
from codeassistd.index.types import Definition
from codeassistd.syntax.facts import FUNCTION_KINDS
from codeassistd.syntax.languages import Language

__all__ = ["Tell", "is_object", "results_in", "tells_in"]

_BEHIND = frozenset({"python", "typescript", "tsx", "javascript", "kotlin", "swift", "rust"})
"""Languages that write a type behind its name and a colon."""
_JAVASCRIPT = frozenset({"typescript", "tsx", "javascript"})
_IN_FRONT = frozenset({"java", "csharp", "c", "cpp", "php"})
"""Languages that write a type in front of its name."""

#: Texts whose tells are kept.
_MAX_KNOWN = 64
_OWN = r"(?P<own>(?:self|this)\s*(?:\.|->)\s*|@)?"
_WORDS = (
    r"(?:(?:export|pub|public|private|protected|readonly|static|final|const|let|mut|var|val|local|auto|my|if|while|elif"
    r"|using|lazy|weak|nonlocal|global|override|declare|lateinit|internal|open)\s+)*"
)
_ASSIGNED = re.compile(
    rf"^[^\S\n]*{_WORDS}\(?{_OWN}(?P<name>[$#]?[^\W\d]\w*)(?:\s*,\s*\w+)*\s*(?::=|=(?![=>~]))\s*", re.MULTILINE
)
_NAMED = re.compile(rf"(?<![\w.])(?<!-> ){_OWN}(?P<name>[$#]?[^\W\d]\w*)[^\S\n]*[?!]?[^\S\n]*:(?![:=])[^\S\n]*(?=\S)")
_TYPED = re.compile(
    r"(?<![\w.])(?P<type>[^\W\d][\w.]*(?:::\w+)*(?:<[^;(){}]{1,120}?>)?(?:\[\])?(?:\s*[*&?]\s*|\s+))"
    r"(?P<name>\$?[^\W\d]\w*)\s*(?=[=;,):{]|in\b)(?!==|::)"
)
_GO_TYPED = re.compile(
    r"(?<![\w.])(?P<name>[^\W\d]\w*)[^\S\n]+(?P<type>(?:\[\]|\*|\.\.\.|map\[[\w.]+\])*[^\W\d][\w.]*)[^\S\n]*(?=[,)=`\n]|$)"
)
_EACH = re.compile(
    r"\b(?:for|foreach)(?:\s+await)?\s*\(?\s*(?:(?:const|let|var|val|async)\s+)?(?:\w+\s*,\s*)*\(?(?P<name>\$?[^\W\d]\w*)\)?"
    r"\s*(?:\bin\b|\bof\b|:=\s*range\b|:(?!=))\s*"
)
_IS_OBJECT = re.compile(r"\A[^={]*=\s*(?:Object\.freeze\(\s*)?\{")
_GIVES_OBJECT = re.compile(r"\breturn\s*\{|=>\s*\(\s*\{")
_TAKEN_APART = re.compile(r"\{(?P<names>[^{}()]{1,400})\}\s*(?P<mark>=(?![=>])|:(?!:))\s*")
"""Names for some attributes of one thing: `const { cart, log } = shop`, `({ cart, log }: Shop) =>`."""
_PART = re.compile(r"\s*(?P<key>[^\W\d]\w*)\s*(?::\s*(?P<name>[^\W\d]\w*)\s*)?(?:=|$)")
_GIVEN = re.compile(
    r"(?<![\w$.#])(?P<over>[\w$]+(?:\(\))?(?:\??\.#?\w+(?:\([^()]*\))?)*)\s*\??\.\s*"
    r"(?:forEach|map|filter|find|findIndex|findLast|some|every|flatMap)\(\s*(?:async\s*)?\(?\s*(?P<name>[^\W\d]\w*)"
    r"[^()=]{0,80}\)?\s*=>"
)
"""The parameter of a function that is given what something holds, one after the other."""
_ENTERED = re.compile(r"\b(?:with|,)\s*\(?\s*")
_AS = re.compile(r"\s+as\s+(?P<name>[^\W\d]\w*)")
_IS = re.compile(
    r"\bisinstance\(\s*(?P<name>[^\W\d]\w*)\s*,\s*\(?(?P<type>[\w.]+)|\b(?P<name2>[^\W\d]\w*)\s+(?:instanceof|is)\s+"
    r"(?P<type2>[A-Z][\w.]*)|\bexcept\s+\(?(?P<type3>[\w.]+)[^\n]*\bas\s+(?P<name3>[^\W\d]\w*)"
)
#: A parameter of a constructor that is an attribute at once.
_KEPT = re.compile(r"\b(?:private|public|protected|readonly)\s+(?:readonly\s+)?\Z")
_RESULT = re.compile(r"(?:^|[:{;])[^\S\n]*(?:return|yield)[^\S\n]+|=>[^\S\n]*", re.MULTILINE)
#: Functions that hand on what they are given, in another order or form.
_PASSED_ON = frozenset({"enumerate", "sorted", "reversed", "list", "tuple", "set", "iter"})
_NO_TYPES = frozenset(
    {
        *(
            "return",
            "new",
            "else",
            "throw",
            "case",
            "goto",
            "import",
            "package",
            "using",
            "await",
            "yield",
            "in",
            "not",
        ),
        *("and", "or", "is", "as", "def", "class", "struct", "interface", "type", "func", "var", "const", "let", "go"),
        *("defer", "if", "for", "while", "from", "assert", "raise", "del", "lambda", "namespace", "delete", "public"),
        *("private", "protected", "static", "final", "auto", "val", "range", "chan", "select", "switch", "default"),
        *("try", "finally", "except", "with", "elif", "while", "match"),
    }
)


@dataclass(frozen=True, slots=True)
class Tell:
    """What one place tells of one name.

    Attributes:
        name: with a dot in front where it is an attribute of the object itself.
        start: where it stands in the text.
        type: as written, or empty.
        chain: what it is made of, where no type is written.
        attribute: it is that attribute of what the type says, as where a parameter is taken apart.
        is_item: it is one of what the chain holds.
        is_entered: it is what the chain gives when it is entered by `with`.
    """

    name: str
    start: int
    type: str = ""
    chain: Chain | None = None
    is_item: bool = False
    is_entered: bool = False
    attribute: str = ""


@lru_cache(maxsize=_MAX_KNOWN)
def tells_in(text: str, language: Language | None) -> tuple[Tell, ...]:
    """All that `text` tells, in its order; kept, as the same classes are asked about in one place after another."""
    name = language.name if language is not None else ""
    tells = [*_assigned(text), *_each(text), *_checked(text)]
    if name == "python":
        tells += _entered(text)
    if name in _JAVASCRIPT:
        tells += [*_taken_apart(text), *_given(text)]
    if name in _BEHIND:
        tells += _annotated(text)
    elif name in _IN_FRONT:
        tells += _typed(_TYPED, text)
    elif name == "go":
        tells += _typed(_GO_TYPED, text)
    return tuple(sorted(tells, key=lambda tell: tell.start))


def results_in(text: str) -> list[Chain]:
    """What the body of a function gives back, as far as it is written with that word."""
    chains = (chain_at(text, match.end()) for match in _RESULT.finditer(text))
    return [chain for chain in chains if chain is not None]


def is_object(definition: Definition, text: str, language: Language | None) -> bool:
    """Whether `text`, that of a definition, writes an object down as JavaScript does: `x = {...}`, `return {...}`."""
    if language is None or language.name not in _JAVASCRIPT:
        return False
    pattern = _GIVES_OBJECT if definition.kind in FUNCTION_KINDS else _IS_OBJECT
    return pattern.search(text) is not None


def _assigned(text: str) -> Iterator[Tell]:
    for match in _ASSIGNED.finditer(text):
        chain = chain_at(text, match.end())
        yield Tell(_name(match), match.start("name"), chain=chain)


def _annotated(text: str) -> Iterator[Tell]:
    for match in _NAMED.finditer(text):
        written, _ = type_at(text, match.end())
        if not written or written in _NO_TYPES or match["name"] in _NO_TYPES:
            continue
        is_kept = match["own"] is None and _KEPT.search(text, max(0, match.start() - 40), match.start())
        yield Tell(f".{match['name']}" if is_kept else _name(match), match.start("name"), written)
        if is_kept:
            yield Tell(match["name"], match.start("name"), written)


def _taken_apart(text: str) -> Iterator[Tell]:
    for match in _TAKEN_APART.finditer(text):
        is_made = match["mark"] == "="
        chain = chain_at(text, match.end()) if is_made else None
        written = "" if is_made else type_at(text, match.end())[0]
        for part in match["names"].split(","):
            name = _PART.match(part)
            if name is None:
                continue
            called = name["name"] or name["key"]
            if chain is not None:
                whole = Chain(chain.name, (*chain.steps, f".{name['key']}"), chain.end)
                yield Tell(called, match.start(), chain=whole)
            elif written:
                yield Tell(called, match.start(), written, attribute=name["key"])


def _given(text: str) -> Iterator[Tell]:
    for match in _GIVEN.finditer(text):
        yield Tell(match["name"], match.start("name"), chain=chain_at(match["over"], 0), is_item=True)


def _typed(pattern: re.Pattern[str], text: str) -> Iterator[Tell]:
    for match in pattern.finditer(text):
        written = match["type"].strip()
        if written not in _NO_TYPES and match["name"] not in _NO_TYPES:
            yield Tell(match["name"], match.start("name"), written)


def _each(text: str) -> Iterator[Tell]:
    for match in _EACH.finditer(text):
        chain = chain_at(text, match.end())
        if chain is not None and chain.name in _PASSED_ON and chain.steps[:1] == (CALL,):
            chain = chain_at(text, text.index("(", match.end()) + 1)
        yield Tell(match["name"], match.start("name"), chain=chain, is_item=True)


def _entered(text: str) -> Iterator[Tell]:
    for match in _ENTERED.finditer(text):
        chain = chain_at(text, match.end())
        name = _AS.match(text, chain.end) if chain is not None else None
        if name is not None:
            yield Tell(name["name"], name.start("name"), chain=chain, is_entered=True)


def _checked(text: str) -> Iterator[Tell]:
    for match in _IS.finditer(text):
        for name, written in (("name", "type"), ("name2", "type2"), ("name3", "type3")):
            if match[name] is not None:
                yield Tell(match[name], match.start(name), match[written])


def _name(match: re.Match[str]) -> str:
    return f".{match['name']}" if match["own"] else match["name"]

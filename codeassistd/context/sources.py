"""Where context comes from: definitions of other files, through the index, and the outline of the open file.

The choice of definitions is sticky. It is made anew when the cursor comes into another definition of the document or to
another line, and even then what was chosen stays where it stood; while letters are typed in one line it cannot change.
A part that the engine has already read is worth more than a slightly better one that it has not.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeassistd.context import score
from codeassistd.context.types import ContextRequest
from codeassistd.index.types import Definition, IndexLookup
from codeassistd.syntax.facts import FileFacts, OutlineEntry, Symbol
from codeassistd.syntax.languages import Language
from codeassistd.syntax.scope import enclosing, names_near
from codeassistd.text import Span, Text

__all__ = ["DefinitionSource", "choose_outline"]

NEAR_LINES_ABOVE = 20
"""Lines above the cursor whose names are looked up."""
NEAR_LINES_BELOW = 5
"""Lines below the cursor whose names are looked up."""
_MAX_NEAR_BYTES = 4096
_MAX_NAMES = 40
_MAX_DOCUMENTS = 64
#: Kinds of definitions with a body that a cursor can stand in.
_HOLDERS = frozenset({"function", "method", "class", "interface", "type", "enum", "module"})


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen for one document, and where the cursor stood."""

    scope: str
    line: int
    names: tuple[str, ...]
    definitions: tuple[Definition, ...]


class DefinitionSource:
    """Definitions from other files for the names near the cursor; remembers its choice for each document."""

    def __init__(self, lookup: IndexLookup) -> None:
        self._lookup = lookup
        self._choices: OrderedDict[str, _Choice] = OrderedDict()

    def definitions(self, request: ContextRequest, language: Language | None) -> tuple[Definition, ...]:
        """At most `settings.definitions` of them, in the order in which they should stand.

        The index is asked each time, even where the names are known, since it alone knows what is still true on disk.
        """
        limit = request.settings.definitions
        if request.root is None or limit == 0:
            return ()
        document = request.document
        line = document.text.line_of(request.offset)
        scope = _scope(request.facts, document.text, request.offset)
        known = self._choices.get(document.uri)
        chosen = known.definitions if known is not None else ()
        if known is not None and (known.scope, known.line) == (scope, line):
            names = known.names
        else:
            names = tuple(_names(document.text, request.offset, request.facts, language))
            if known is not None and known.scope == scope:
                names = tuple(dict.fromkeys([*names, *(definition.name for definition in chosen)]))
        imports = request.facts.imports if request.facts is not None else ()
        found = self._lookup.definitions(request.root, names, document.path, imports) if names else []
        definitions = tuple(score.keep(chosen, score.rank(found, names, request.facts), limit))
        self._choices[document.uri] = _Choice(scope, line, names, definitions)
        self._choices.move_to_end(document.uri)
        while len(self._choices) > _MAX_DOCUMENTS:
            self._choices.popitem(last=False)
        return definitions


def choose_outline(
    facts: FileFacts, shown: tuple[int, int], limit: int, count: Callable[[str], int]
) -> list[OutlineEntry]:
    """Entries of the outline that the window does not show, in order of the file.

    Args:
        facts: of the open file.
        shown: first line of the window, and the first one after it.
        limit: most tokens of all entries together.
        count: tokens of an entry.

    What encloses the window comes first, then the nearest; an entry inside another brings that other along.
    """
    start, end = shown
    hidden = [entry for entry in facts.outline if not start <= entry.line < end]
    parents = _parents(hidden)
    taken: set[int] = set()
    used = 0
    for index in sorted(range(len(hidden)), key=lambda index: _distance(hidden[index], start, end)):
        chain = [index]
        while (parent := parents[chain[-1]]) is not None:
            chain.append(parent)
        new = [place for place in chain if place not in taken]
        cost = sum(count(hidden[place].text) for place in new)
        if used + cost > limit:
            break
        taken.update(new)
        used += cost
    return [hidden[index] for index in sorted(taken)]


def _parents(entries: Sequence[OutlineEntry]) -> list[int | None]:
    """For each entry the index of the one whose span holds it."""
    parents: list[int | None] = []
    open_entries: list[int] = []
    for index, entry in enumerate(entries):
        while open_entries and entries[open_entries[-1]].span.end <= entry.span.start:
            open_entries.pop()
        parents.append(open_entries[-1] if open_entries else None)
        open_entries.append(index)
    return parents


def _distance(entry: OutlineEntry, start: int, end: int) -> int:
    """Lines between an entry and the window; what is above comes before what is below."""
    return 2 * (start - entry.line) - 1 if entry.line < start else 2 * (entry.line - end + 1)


def _names(text: Text, offset: int, facts: FileFacts | None, language: Language | None) -> list[str]:
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


def _scope(facts: FileFacts | None, text: Text, offset: int) -> str:
    """Names the definition that the cursor stands in.

    Judged by indentation where the parser's span has ended before the cursor: the facts may be a few letters older than
    the document, and a blank line at the end of a body belongs to it once it is indented.
    """
    start = text.line_start(text.line_of(offset))
    before = text.slice(Span(start, offset))
    indent = len(before) - len(before.lstrip())
    for symbol in reversed(facts.symbols if facts is not None else ()):
        if symbol.kind not in _HOLDERS or symbol.span.start > offset:
            continue
        column = symbol.span.start - text.line_start(text.line_of(symbol.span.start))
        if offset <= symbol.span.end or column < indent:
            return symbol.qualified_name
    return ""

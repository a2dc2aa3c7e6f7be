"""Which facts of the open document a prompt is made from: those that the prompts before it were made from, for a while.

What is being typed parses badly half of the time, and then the definition round the cursor, its class or all that
follows may be missing from the newest facts, to come back a few letters later. Each time other definitions and another
outline would stand in front of the text, and the model would read nearly all of the prompt again. So facts are kept
while the cursor stays where they were taken, and moved along behind it; what is typed stands in the prompt itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from codeassistd.context.by_document import ByDocument
from codeassistd.context.types import ContextRequest
from codeassistd.context.wanted import scope_at
from codeassistd.syntax.facts import FileFacts, OutlineEntry, Symbol
from codeassistd.text import Span

__all__ = ["BROKEN_LINES", "FRESH_LINES", "SteadyFacts"]

FRESH_LINES = 4
"""Lines that the cursor may move within one scope before newer facts are taken; as often as definitions are chosen."""
BROKEN_LINES = 16
"""The same while the newer facts have lost the scope itself."""
_MAX_CHANGE = 1024
"""Bytes by which the document may have grown or shrunk meanwhile: more was not typed."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """Facts, and the document and its cursor when they were taken."""

    facts: FileFacts
    scope: str
    offset: int
    line: int
    n_bytes: int
    n_lines: int


class SteadyFacts:
    """Remembers the facts in use for each client's document; belongs to one thread."""

    def __init__(self) -> None:
        self._taken = ByDocument[_Taken]()

    def of(self, request: ContextRequest) -> FileFacts | None:
        """The facts to make the prompt of `request` from; None if there never were any."""
        key = (request.client, request.document.uri)
        text, offset, newest = request.document.text, request.offset, request.facts
        line = text.line_of(offset)
        known = self._taken.get(key)
        if known is not None and abs(len(text) - known.n_bytes) <= _MAX_CHANGE:
            n_most = BROKEN_LINES if newest is None or _has_lost(newest, known) else FRESH_LINES
            moved = _moved(known, len(text), text.line_count)
            if abs(line - known.line) < n_most and scope_at(moved, text, offset) == known.scope:
                return moved
        if newest is None:
            return None
        scope = scope_at(newest, text, offset)
        self._taken.put(key, _Taken(newest, scope, offset, line, len(text), text.line_count))
        return newest

    def forget(self, client: str, uri: str) -> None:
        """A document is closed: its text may be another one when it is opened again."""
        self._taken.drop((client, uri))


def _has_lost(facts: FileFacts, known: _Taken) -> bool:
    """Whether `facts` lack the definition that the cursor stood in."""
    return known.scope != "" and all(symbol.qualified_name != known.scope for symbol in facts.symbols)


def _moved(known: _Taken, n_bytes: int, n_lines: int) -> FileFacts:
    """The known facts for a document that is so long now, where all the change is at the cursor."""
    by, by_lines, cursor = n_bytes - known.n_bytes, n_lines - known.n_lines, known.offset
    if (by, by_lines) == (0, 0):
        return known.facts

    def place(offset: int) -> int:
        return offset if offset < cursor else max(cursor, offset + by)

    def line(number: int) -> int:
        return number if number <= known.line else max(known.line, number + by_lines)

    def symbol(each: Symbol) -> Symbol:
        return each._replace(
            start=place(each.start),
            end=place(each.end),
            name_start=place(each.name_start),
            name_end=place(each.name_end),
            line=line(each.line),
        )

    def entry(each: OutlineEntry) -> OutlineEntry:
        return OutlineEntry(each.text, line(each.line), Span(place(each.span.start), place(each.span.end)))

    # What ends before the cursor stays where it is.
    return replace(
        known.facts,
        symbols=tuple(each if each.end < cursor else symbol(each) for each in known.facts.symbols),
        outline=tuple(each if each.span.end < cursor else entry(each) for each in known.facts.outline),
    )

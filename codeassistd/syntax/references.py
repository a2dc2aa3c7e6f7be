"""Uses of names, from the matches of `@reference.<kind>` in `tags.scm`, kept as rows between edits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container
from operator import attrgetter

import tree_sitter

from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import Reference
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.source import Source
from codeassistd.text import Text

__all__ = ["ReferenceCollector"]

_LINE = attrgetter("line")


class ReferenceCollector:
    """Takes the matches of one file as they come, and tells its references when all are there."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._names: dict[int, str] = {}
        self._bases: dict[int, str] = {}
        # Rows in front of and behind what was added since: there are thousands, and an edit changes a few.
        self._before: list[Reference] = []
        self._after: list[Reference] = []

    @property
    def bases(self) -> dict[int, str]:
        """Names of base classes, by their places."""
        return self._bases

    def add(self, pattern: Pattern, _node: tree_sitter.Node, captures: Captures) -> None:
        """Take one match; nothing of it is kept but plain values."""
        word = captures["name"][0]
        start = word.start_byte
        name = self._names[start] = self._source.between(start, word.end_byte)
        if pattern.kind == "base":
            self._bases[start] = name

    def edit(self, edit: TextEdit, old: Text, new: Text) -> None:
        """Follow an edit of whole lines: what stands in it is to be added anew."""
        rows, self._names = self._before, {}
        first, old_last, new_last = (
            old.line_of(edit.start),
            _line_behind(old, edit.old_end),
            _line_behind(new, edit.new_end),
        )
        split = bisect_left(rows, old_last, key=_LINE)
        behind, moved_by = rows[split:], new_last - old_last
        if moved_by:
            behind = [Reference(row.name, row.line + moved_by) for row in behind]
        self._before, self._after = rows[: bisect_left(rows, first, key=_LINE)], behind
        bases, self._bases = self._bases, {}
        for start, name in bases.items():
            if start < edit.start:
                self._bases[start] = name
            elif start >= edit.old_end:
                self._bases[start + edit.delta] = name

    def references(self, defined: Container[int]) -> tuple[Reference, ...]:
        """In order of their lines; each name once a line.

        Args:
            defined: places of the names of definitions. A pattern for uses may match them too; those are no uses.
        """
        starts = self._source.text.starts
        first = self._before[-1].line if self._before else -1
        last = self._after[0].line if self._after else self._source.text.line_count
        used = {(bisect_right(starts, start) - 1, name) for start, name in self._names.items() if start not in defined}
        rows = [Reference(name, line) for line, name in sorted(used) if first < line < last]
        self._before, self._after, self._names = [*self._before, *rows, *self._after], [], {}
        return tuple(self._before)


def _line_behind(text: Text, end: int) -> int:
    """The first line that begins at `end` or behind it."""
    return text.line_of(end) if end < len(text) else text.line_count

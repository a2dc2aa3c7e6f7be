"""Uses of names, from the matches of `@reference.<kind>` in `tags.scm`, kept as rows between edits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container
from operator import attrgetter

from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import Reference
from codeassistd.syntax.source import Source
from codeassistd.text import Text

__all__ = ["ReferenceCollector"]

_LINE = attrgetter("line")


class ReferenceCollector:
    """Takes the matches of one file as they come, and tells its references when all are there."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.uses: dict[int, int] = {}
        """Ends of the names that were added since the last `references`, by their starts."""
        self.bases: dict[int, int] = {}
        """Ends of all names of base classes, by their starts; they are uses, too."""
        # Rows in front of and behind what was added since: there are thousands, and an edit changes a few.
        self._before: list[Reference] = []
        self._after: list[Reference] = []

    @property
    def names_of_bases(self) -> dict[int, str]:
        """Names of base classes, by their places."""
        return {start: self._source.between(start, end) for start, end in self.bases.items()}

    def edit(self, edit: TextEdit, old: Text, new: Text) -> None:
        """Follow an edit of whole lines: what stands in it is to be added anew."""
        rows, self.uses = self._before, {}
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
        bases, self.bases = self.bases, {}
        for start, end in bases.items():
            if start < edit.start:
                self.bases[start] = end
            elif start >= edit.old_end:
                self.bases[start + edit.delta] = end + edit.delta

    def references(self, defined: Container[int]) -> tuple[Reference, ...]:
        """In order of their lines; each name once a line.

        Args:
            defined: places of the names of definitions. A pattern for uses may match them too; those are no uses.
        """
        starts, between = self._source.starts, self._source.between
        first = self._before[-1].line if self._before else -1
        last = self._after[0].line if self._after else self._source.text.line_count
        used = {
            (bisect_right(starts, start) - 1, between(start, end))
            for uses in (self.uses, self.bases)
            for start, end in uses.items()
            if start not in defined
        }
        rows = [Reference(name, line) for line, name in sorted(used) if first < line < last]
        self._before, self._after, self.uses = [*self._before, *rows, *self._after], [], {}
        return tuple(self._before)


def _line_behind(text: Text, end: int) -> int:
    """The first line that begins at `end` or behind it."""
    return text.line_of(end) if end < len(text) else text.line_count

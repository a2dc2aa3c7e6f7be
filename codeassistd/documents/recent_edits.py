"""The last few edits of one editor connection, as what stood there before and what stands there since.

Changes close to each other, in place or in time, are one edit: a word is typed letter by letter. Belongs to the loop's
thread; what is handed out is frozen. Nothing is kept of a document that is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.documents.change import Change
from codeassistd.documents.document import Document
from codeassistd.text import Span, Text

__all__ = ["Edit", "RecentEdits"]

MAX_EDITS = 8
NEAR_LINES = 8
"""Changes at most so far from each other are one edit."""
NEAR_S = 1.0
"""Changes at most so long after each other are one edit."""
_MAX_LINES = 24
"""An edit that has grown to so many lines is followed by another one."""
_MAX_BYTES = 524_288
"""Longer documents are left out: two versions of each are kept."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: whole lines before and after it.

    Attributes:
        line: of the first of them, from zero.
    """

    uri: str
    path: Path | None
    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(slots=True)
class _Growing:
    """An edit that may still grow: the versions round it, and the lines of the newer one that it touches."""

    before: Text
    after: Document
    first: int
    last: int
    at_s: float


class RecentEdits:
    """Follows the changes of all open documents of one editor."""

    def __init__(self) -> None:
        self._edits: list[_Growing] = []

    def changed(self, before: Document, after: Document, now_s: float) -> None:
        """A document went from one version to the next."""
        if max(len(before.text), len(after.text)) > _MAX_BYTES or before.text == after.text:
            return
        start, end = _touched(after.changes_since(before))
        first, last = after.text.line_of(start), after.text.line_of(end)
        newest = self._edits[-1] if self._edits else None
        if newest is not None and newest.after.uri == after.uri and _belongs(newest, first, last, now_s):
            newest.after, newest.at_s = after, now_s
            newest.first, newest.last = min(newest.first, first), max(newest.last, last)
            return
        self._edits = [*self._edits[1 - MAX_EDITS :], _Growing(before.text, after, first, last, now_s)]

    def closed(self, uri: str) -> None:
        """Forget what was edited in a document."""
        self._edits = [edit for edit in self._edits if edit.after.uri != uri]

    def edits(self) -> tuple[Edit, ...]:
        """What was edited, the oldest first; what was undone is left out."""
        return tuple(_edit(each) for each in self._edits if each.before != each.after.text)


def _belongs(newest: _Growing, first: int, last: int, now_s: float) -> bool:
    is_near = first <= newest.last + NEAR_LINES and last >= newest.first - NEAR_LINES
    n_lines = max(newest.last, last) - min(newest.first, first) + 1
    return (is_near or now_s - newest.at_s <= NEAR_S) and n_lines <= _MAX_LINES


def _edit(each: _Growing) -> Edit:
    text = each.after.text
    old, new = _changed_part(each.before, text)
    return Edit(each.after.uri, each.after.path, text.line_of(new[0]), _lines(each.before, *old), _lines(text, *new))


def _lines(text: Text, start: int, end: int) -> tuple[str, ...]:
    """The whole lines that hold the bytes from `start` to `end`."""
    span = Span(text.line_start(text.line_of(start)), text.line_end(text.line_of(end)))
    return tuple(text.slice(span).splitlines())


def _touched(changes: Sequence[Change]) -> tuple[int, int]:
    """Start and end of all that was changed one after the other, in the newest text."""
    start, end = changes[0].start, changes[0].inserted_end
    for change in changes[1:]:
        end = max(change.inserted_end, end + change.growth if change.start <= end else end)
        start = min(start, change.start)
    return start, end


def _changed_part(before: Text, after: Text) -> tuple[tuple[int, int], tuple[int, int]]:
    """Start and end of the bytes in which two texts differ, in the one and in the other."""
    change = Change.between(before.content, after.content)
    return (change.start, change.removed_end), (change.start, change.inserted_end)

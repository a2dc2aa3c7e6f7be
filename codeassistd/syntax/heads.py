"""Heads: what a definition shows of itself on one line, without its body."""

from __future__ import annotations

import re
from bisect import bisect_left

from codeassistd.syntax.source import Marks, Source

__all__ = ["Heads"]

# Longer heads (a type that lists a hundred strings) would fill a prompt and tell little more.
_MAX_HEAD = 240
# Enough source for a head, however it is wrapped; the rest of a table of constants is not even read.
_MAX_HEAD_BYTES = 2048
_BREAK_AFTER_OPENER = re.compile(r"([(\[{<])\n")
_BREAK_BEFORE_CLOSER = re.compile(r",?\n([)\]}>])")
# What leads from a head to its body, and what ends a statement.
_TAIL = " :=;,"


class Heads:
    """Reads heads from one file."""

    def __init__(self, source: Source, marks: Marks) -> None:
        """Read from `source`, leaving out its comments and what is attached."""
        self._source = source
        self._comment_ends = marks.comments
        self._comment_starts = sorted(marks.comments)
        self._attached_ends = marks.attached

    def read(self, start: int, end: int) -> str:
        """The text from `start` to `end` on one line: decorators and comments left out, line breaks folded.

        A very long one is cut.
        """
        return self._fold(self._behind_attached(start), end)

    def _behind_attached(self, start: int) -> int:
        content = self._source.text.content
        while start in self._attached_ends:
            start = self._attached_ends[start]
            while content[start : start + 1].isspace():
                start += 1
        return start

    def _fold(self, start: int, end: int) -> str:
        if end - start > _MAX_HEAD_BYTES:
            end = self._source.text.letter_start(start + _MAX_HEAD_BYTES)
        text = self._without_comments(start, end).strip()
        if "\n" in text or "\r" in text:
            text = "\n".join(filter(None, map(str.strip, text.splitlines())))
            text = _BREAK_AFTER_OPENER.sub(r"\1", text)
            text = _BREAK_BEFORE_CLOSER.sub(r"\1", text)
        text = " ".join(text.split()).rstrip(_TAIL)
        return text if len(text) <= _MAX_HEAD else text[: _MAX_HEAD - 1] + "…"

    def _without_comments(self, start: int, end: int) -> str:
        comments = self._comment_starts
        first = bisect_left(comments, start)
        if first == len(comments) or comments[first] >= end:
            return self._source.between(start, end)
        pieces: list[str] = []
        for comment in comments[first : bisect_left(comments, end)]:
            pieces.append(self._source.between(start, comment))
            start = self._comment_ends[comment]
        return "".join([*pieces, self._source.between(start, max(start, end))])

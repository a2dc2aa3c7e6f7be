"""The documentation of a definition: its docstring, or the comment right above it, cut to the first line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from codeassistd.syntax.source import Marks, Source
from codeassistd.text import Span

__all__ = ["Docs", "docstring_of"]

_COMMENT_MARKS = re.compile(
    r"^\s*(?:/\*+!?|//+!?|#+:?|--+(?:\[=*\[)?|\*+(?=\s|$))?\s*|\s*(?:\*+/|\]=*\])\s*$|</?(?:summary|remarks|para)\s*/?>"
)
_QUOTES = re.compile(r"^[a-zA-Z]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_HAS_LETTER = re.compile(r"[^\W\d_]")
_MAX_DOC = 200


def docstring_of(written: str) -> str:
    """The first line of a docstring, given with its quotes."""
    return _first_line(_QUOTES.sub("", written).splitlines())


class Docs:
    """Finds the documentation of definitions by the lines they stand on."""

    def __init__(self, source: Source, marks: Marks, docstrings: Mapping[int, str]) -> None:
        """Look in `source`; `docstrings` are the first lines of the strings that open a body, by their start."""
        self._source = source
        self._docstrings = docstrings
        self._comments, self._comment_starts = marks.comments, sorted(marks.comments)
        self._attached, self._attached_starts = marks.attached, sorted(marks.attached)

    def of(self, definition: int, body: int | None) -> str:
        """The first line of the documentation of what starts at `definition` and has its body at `body`, or nothing."""
        docstring = None if body is None else self._docstrings.get(body)
        if docstring is not None:
            return docstring
        run = self._run_above(definition)
        comments = [start for start in reversed(run) if start in self._comments]
        return _first_line(
            _COMMENT_MARKS.sub("", line[: 2 * _MAX_DOC])
            for start in comments
            for line in self._source.between(start, self._comments[start]).splitlines()
        )

    def top(self, definition: int) -> int:
        """Where a definition starts with all that belongs to it: comments above, decorators."""
        run = self._run_above(definition)
        return run[-1] if run else definition

    def _run_above(self, definition: int) -> list[int]:
        """Starts of the comments, decorators and attributes that end on the line above, from the lowest up."""
        line_of = self._source.line_of
        run: list[int] = []
        start = definition
        while True:
            line = line_of(start) - 1
            above = self._comment_above(start, line)
            if above is None:
                above = self._attached_above(start, line)
            if above is None:
                return run
            run.append(above)
            start = above

    def _comment_above(self, before: int, line: int) -> int | None:
        """The comment that ends on `line`. What shares its line with code belongs to that code."""
        index = bisect_left(self._comment_starts, before) - 1
        if index < 0:
            return None
        start = self._comment_starts[index]
        span = Span(start, self._comments[start])
        return start if self._source.last_line(span) == line and self._source.is_alone(span) else None

    def _attached_above(self, before: int, line: int) -> int | None:
        index = bisect_left(self._attached_starts, before) - 1
        if index < 0:
            return None
        start = self._attached_starts[index]
        span = Span(start, self._attached[start])
        return start if self._source.last_line(span) == line and self._source.ends_line(span) else None


def _first_line(lines: Iterable[str]) -> str:
    """The first line that says something."""
    for line in lines:
        if _HAS_LETTER.search(line):
            return line.strip()[:_MAX_DOC]
    return ""

"""The documentation of a definition: its docstring, or the comment right above it, cut to the first line."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from codeassistd.syntax.source import Marks, Source
from codeassistd.text import Span

__all__ = ["Docs", "docstring_of"]

_COMMENT_MARKS = re.compile(
    r"^\s*(?:/\*+!?|//+!?|#+:?|--+(?:\[=*\[)?|\*+(?=\s|$))?\s*|\s*(?:\*+/|\]=*\])\s*$|</?(?:summary|remarks|para)\s*/?>"
)
_OPENING = re.compile(r"[a-zA-Z]*(\"\"\"|'''|\"|')")
_CLOSING = ('"""', "'''", '"', "'")
_HAS_LETTER = re.compile(r"[^\W\d_]")
_MAX_DOC = 200


def docstring_of(written: str) -> str:
    """The first line of a docstring that says something, given with its quotes."""
    opening = _OPENING.match(written)
    closing = next((quotes for quotes in _CLOSING if written.endswith(quotes)), "")
    text = written[opening.end() if opening else 0 :].removesuffix(closing)
    letter = _HAS_LETTER.search(text)
    if letter is None:
        return ""
    # Docstrings are long, and only this line of them is looked at.
    start, end = text.rfind("\n", 0, letter.start()) + 1, text.find("\n", letter.start())
    return _first_line(text[start : end if end >= 0 else len(text)].splitlines())


class Docs:
    """Finds the documentation of definitions by the lines they stand on."""

    def __init__(self, source: Source, marks: Marks, docstrings: Mapping[int, str]) -> None:
        """Look in `source`; `docstrings` are the first lines of the strings that open a body, by their start."""
        self._source = source
        self._docstrings = docstrings
        self._comments, self._comment_starts = marks.comments, sorted(marks.comments)
        self._attached, self._attached_starts = marks.attached, sorted(marks.attached)
        self._runs: dict[int, list[int]] = {}

    def of(self, definition: int, body: int | None) -> str:
        """The first line of the documentation of what starts at `definition` and has its body at `body`, or nothing."""
        docstring = None if body is None else self._docstrings.get(body)
        if docstring is not None:
            return docstring
        run = self._run_above(definition)
        if not run:
            return ""
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
        known = self._runs.get(definition)
        if known is not None:
            return known
        starts, run = self._source.starts, list[int]()
        self._runs[definition] = run
        above: int | None = definition
        while above is not None:
            line = bisect_right(starts, above) - 1
            if not line:
                break
            top, end = starts[line - 1], starts[line]
            # Of most definitions it can be told by numbers alone that nothing ends right above them.
            comment = _last_in(self._comments, self._comment_starts, above, top, end)
            if comment is not None and self._source.is_alone(Span(comment, self._comments[comment])):
                above = comment
            else:
                # What shares its line with code belongs to that code.
                above = _last_in(self._attached, self._attached_starts, above, top, end)
                if above is not None and not self._source.ends_line(Span(above, self._attached[above])):
                    above = None
            if above is not None:
                run.append(above)
        return run


def _last_in(ends: Mapping[int, int], starts: Sequence[int], before: int, top: int, end: int) -> int | None:
    """The start of the last mark in front of `before`, if its last byte is one of the line from `top` to `end`."""
    index = bisect_left(starts, before) - 1
    if index < 0:
        return None
    start = starts[index]
    # Some grammars count the line end as part of a comment.
    return start if top <= max(start, ends[start] - 1) < end else None


def _first_line(lines: Iterable[str]) -> str:
    """The first line that says something."""
    for line in lines:
        if _HAS_LETTER.search(line):
            return line.strip()[:_MAX_DOC]
    return ""

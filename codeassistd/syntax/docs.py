"""The documentation of a definition: its docstring, or the comment right above it, cut to the first line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from codeassistd.syntax.source import Marks, Source
from codeassistd.text import Span

__all__ = ["Docs"]

_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+!?|//+!?|#+:?|\*+(?=\s|$))?\s*|\s*\*+/\s*$")
_QUOTES = re.compile(r"^[a-zA-Z]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_HAS_LETTER = re.compile(r"[^\W\d_]")
_MAX_DOC = 200


class Docs:
    """Finds the documentation of definitions by the lines they stand on."""

    def __init__(self, source: Source, marks: Marks, docstrings: Mapping[int, Span]) -> None:
        """Look in `source`; `docstrings` are the strings that open a body, by their start."""
        self._source = source
        self._docstrings = docstrings
        # By their last lines. What shares its line with code belongs to that code.
        self._comments = {source.last_line(span): span for span in marks.comments if source.is_alone(span)}
        self._attached = {source.last_line(span): span for span in marks.attached if source.ends_line(span)}

    def of(self, definition: Span, body: Span | None) -> str:
        """The first line of the documentation of `definition`, or the empty string."""
        docstring = None if body is None else self._docstrings.get(body.start)
        if docstring is not None:
            written = self._source.between(docstring.start, docstring.end)
            return _first_line(_QUOTES.sub("", written).splitlines())
        return _first_line(
            _COMMENT_MARKS.sub("", line[: 2 * _MAX_DOC])
            for comment in self._comments_above(definition)
            for line in self._source.between(comment.start, comment.end).splitlines()
        )

    def _comments_above(self, definition: Span) -> list[Span]:
        """The run of comments that ends on the line above, from its first; decorators in between do not break it."""
        line_of = self._source.line_of
        run: list[Span] = []
        line = line_of(definition.start) - 1
        while True:
            if line in self._comments:
                span = self._comments[line]
                run.append(span)
            elif line in self._attached:
                span = self._attached[line]
            else:
                return run[::-1]
            line = line_of(span.start) - 1


def _first_line(lines: Iterable[str]) -> str:
    """The first line that says something."""
    for line in lines:
        if _HAS_LETTER.search(line):
            return line.strip()[:_MAX_DOC]
    return ""

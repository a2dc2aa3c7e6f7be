"""The documentation of a definition: its docstring, or the comment right above it, cut to the first line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from codeassistd.syntax.source import Source
from codeassistd.text import Span

__all__ = ["Docs"]

_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+!?|//+!?|#+:?|\*+(?=\s|$))?\s*|\s*\*+/\s*$")
_QUOTES = re.compile(r"^[a-zA-Z]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_HAS_LETTER = re.compile(r"[^\W\d_]")
_MAX_DOC = 200


class Docs:
    """Finds the documentation of definitions by the lines they stand on."""

    def __init__(self, source: Source, docstrings: Iterable[tree_sitter.Node]) -> None:
        """Look in `source`; `docstrings` are the strings that open a body."""
        self._source = source
        self._docstrings = {node.start_byte: node for node in docstrings}
        # By their last lines. What shares its line with code belongs to that code.
        self._comments = {source.last_line(span): span for span in source.comments if source.is_alone(span)}
        self._attached = {source.last_line(span): span for span in source.attached if source.ends_line(span)}

    def of(self, definition: tree_sitter.Node, body: tree_sitter.Node | None) -> str:
        """The first line of the documentation of `definition`, or the empty string."""
        docstring = None if body is None else self._docstrings.get(body.start_byte)
        if docstring is not None:
            return _first_line(_QUOTES.sub("", self._source.read(docstring)).splitlines())
        return _first_line(
            _COMMENT_MARKS.sub("", line[: 2 * _MAX_DOC])
            for comment in self._comments_above(definition)
            for line in self._source.between(comment.start, comment.end).splitlines()
        )

    def _comments_above(self, definition: tree_sitter.Node) -> list[Span]:
        """The run of comments that ends on the line above, from its first; decorators in between do not break it."""
        line_of = self._source.text.line_of
        run: list[Span] = []
        line = line_of(definition.start_byte) - 1
        while True:
            if line in self._comments:
                span = self._comments[line]
                run.append(span)
            elif line in self._attached:
                span = self._attached[line]
            else:
                return run[::-1]
            line = line_of(span.start) - 1


def _first_line(lines: Iterable[str] | Iterator[str]) -> str:
    """The first line that says something."""
    for line in lines:
        if _HAS_LETTER.search(line):
            return line.strip()[:_MAX_DOC]
    return ""

"""The bytes of one file as the collectors read them: pieces as strings, and heads of definitions on one line."""

from __future__ import annotations

import re
from bisect import bisect_left

import tree_sitter

from codeassistd.text import Span, Text

__all__ = ["Source", "span_of"]

# Longer heads (a type that lists a hundred strings) would fill a prompt and tell little more.
_MAX_HEAD = 240
_BREAK_AFTER_OPENER = re.compile(r"([(\[{<])\s*\n\s*")
_BREAK_BEFORE_CLOSER = re.compile(r",?\s*\n\s*([)\]}>])")
_BLANKS = re.compile(r"\s+")
# What leads from a head to its body, and what ends a statement.
_TAIL = " \t\r\n:=;,"


def span_of(node: tree_sitter.Node) -> Span:
    """The bytes of `node`."""
    return Span(node.start_byte, node.end_byte)


class Source:
    """A text that was parsed, with the places of its comments."""

    __slots__ = ("_comment_starts", "comments", "text")

    def __init__(self, text: Text, comments: list[Span]) -> None:
        """Read from `text`, whose comments stand at `comments`, in order of their place."""
        self.text = text
        self.comments = comments
        self._comment_starts = [comment.start for comment in comments]

    def read(self, node: tree_sitter.Node) -> str:
        """The text of `node`."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        """The text from byte `start` to byte `end`."""
        return self.text.content[start:end].decode("utf-8", "surrogatepass")

    def head(self, start: int, end: int) -> str:
        """The text from `start` to `end` on one line: comments left out, line breaks folded, cut when very long."""
        first = bisect_left(self._comment_starts, start)
        last = bisect_left(self._comment_starts, end)
        if first == last:
            text = self.between(start, end)
        else:
            pieces: list[str] = []
            for comment in self.comments[first:last]:
                pieces.append(self.between(start, comment.start))
                start = comment.end
            text = "".join([*pieces, self.between(start, max(start, end))])
        if "\n" in text or "\r" in text:
            text = _BREAK_AFTER_OPENER.sub(r"\1", text.replace("\r", "\n"))
            text = _BREAK_BEFORE_CLOSER.sub(r"\1", text)
        text = _BLANKS.sub(" ", text).strip().rstrip(_TAIL)
        return text if len(text) <= _MAX_HEAD else text[: _MAX_HEAD - 1] + "…"

    def indent(self, offset: int) -> str:
        """The blanks that the line at `offset` begins with."""
        start = self.text.line_start(self.text.line_of(offset))
        before = self.between(start, offset)
        return before[: len(before) - len(before.lstrip())]

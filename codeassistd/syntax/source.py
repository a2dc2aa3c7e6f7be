"""The bytes of one file as the collectors read them: pieces as strings, and heads of definitions on one line."""

from __future__ import annotations

import re
from bisect import bisect_left

import tree_sitter

from codeassistd.syntax.grammar import Captures
from codeassistd.text import Span, Text

__all__ = ["Source", "body_of", "span_of"]

# Longer heads (a type that lists a hundred strings) would fill a prompt and tell little more.
_MAX_HEAD = 240
# Enough source for a head, however it is wrapped; the rest of a table of constants is not even read.
_MAX_HEAD_BYTES = 2048
_BREAK_AFTER_OPENER = re.compile(r"([(\[{<])\n")
_BREAK_BEFORE_CLOSER = re.compile(r",?\n([)\]}>])")
# What leads from a head to its body, and what ends a statement.
_TAIL = " :=;,"


def span_of(node: tree_sitter.Node) -> Span:
    """The bytes of `node`."""
    return Span(node.start_byte, node.end_byte)


def body_of(main: tree_sitter.Node, captures: Captures) -> tree_sitter.Node | None:
    """The body of a definition: what `@body` says, else the field `body` of `@value`, else that of the node itself."""
    if "body" in captures:
        return captures["body"][0]
    return captures.get("value", [main])[0].child_by_field_name("body")


class Source:
    """A text that was parsed, with the places of its comments."""

    __slots__ = ("_attached_ends", "_comment_starts", "_heads", "attached", "comments", "text")

    def __init__(self, text: Text, comments: list[Span], attached: list[Span]) -> None:
        """Read from `text`.

        Args:
            text: what was parsed.
            comments: where its comments stand, in order.
            attached: decorators, annotations and attributes, which stand before a definition or at its start.
        """
        self.text = text
        self.comments = comments
        self.attached = attached
        self._comment_starts = [comment.start for comment in comments]
        # The outline shows the heads that the symbols have.
        self._heads: dict[tuple[int, int], str] = {}
        self._attached_ends = {span.start: span.end for span in attached}

    def read(self, node: tree_sitter.Node) -> str:
        """The text of `node`."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        """The text from byte `start` to byte `end`."""
        return self.text.content[start:end].decode("utf-8", "surrogatepass")

    def head_start(self, start: int) -> int:
        """Where the head of what starts at `start` starts, behind its decorators."""
        content = self.text.content
        while start in self._attached_ends:
            start = self._attached_ends[start]
            while content[start : start + 1].isspace():
                start += 1
        return start

    def head(self, start: int, end: int) -> str:
        """The text from `start` to `end` on one line: decorators and comments left out, line breaks folded.

        A very long one is cut.
        """
        if (start, end) not in self._heads:
            self._heads[start, end] = self._fold(self.head_start(start), end)
        return self._heads[start, end]

    def _fold(self, start: int, end: int) -> str:
        if end - start > _MAX_HEAD_BYTES:
            end = self.text.letter_start(start + _MAX_HEAD_BYTES)
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
            text = "\n".join(filter(None, map(str.strip, text.splitlines())))
            text = _BREAK_AFTER_OPENER.sub(r"\1", text)
            text = _BREAK_BEFORE_CLOSER.sub(r"\1", text)
        text = " ".join(text.split()).rstrip(_TAIL)
        return text if len(text) <= _MAX_HEAD else text[: _MAX_HEAD - 1] + "…"

    def is_alone(self, span: Span) -> bool:
        """Whether there are only blanks before `span` on its first line and behind it on its last."""
        text = self.text
        before = text.content[text.line_start(text.line_of(span.start)) : span.start]
        return not before.strip() and self.ends_line(span)

    def ends_line(self, span: Span) -> bool:
        """Whether there are only blanks behind `span` on its last line."""
        text = self.text
        return not text.content[span.end : text.line_end(self.last_line(span))].strip()

    def last_line(self, span: Span) -> int:
        """The line of the last byte of `span`: some grammars count the line end as part of a comment."""
        return self.text.line_of(max(span.start, span.end - 1))

    def indent(self, offset: int) -> str:
        """The blanks that the line at `offset` begins with."""
        start = self.text.line_start(self.text.line_of(offset))
        before = self.between(start, offset)
        return before[: len(before) - len(before.lstrip())]

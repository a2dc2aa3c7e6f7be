"""The bytes of one file as the collectors read them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import tree_sitter

from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.grammar import Captures
from codeassistd.text import Span, Text

__all__ = ["Marks", "Source", "body_of", "span_of"]


def span_of(node: tree_sitter.Node) -> Span:
    """The bytes of `node`."""
    return Span(node.start_byte, node.end_byte)


def body_of(main: tree_sitter.Node, captures: Captures) -> tree_sitter.Node | None:
    """The body of a definition: what `@body` says, else the field `body` of `@value`, else that of the node itself."""
    if "body" in captures:
        return captures["body"][0]
    return (captures["value"][0] if "value" in captures else main).child_by_field_name("body")


@dataclass(slots=True)
class Marks:
    """What stands between the code of one file: ends by starts, in no order to rely on.

    Attributes:
        comments: all of them.
        attached: decorators, annotations and attributes, which stand before a definition or at its start.
    """

    comments: dict[int, int] = field(default_factory=dict)
    attached: dict[int, int] = field(default_factory=dict)

    def run_below(self, text: Text, start: int) -> int:
        """The end of the line behind the marks that stand one below the other from the line at `start` on."""
        starts = sorted([*self.comments, *self.attached])
        line = text.line_of(start)
        while (index := bisect_left(starts, text.line_start(line))) < len(starts):
            mark = starts[index]
            if text.line_of(mark) != line:
                break
            end = self.attached.get(mark) or self.comments[mark]
            line = max(line, text.line_of(end - 1)) + 1
        return text.line_start(line + 1)

    def edit(self, edit: TextEdit) -> None:
        """Follow an edit: what it touches is to be added anew."""
        self.comments = _moved(self.comments, edit)
        self.attached = _moved(self.attached, edit)


def _moved(spans: dict[int, int], edit: TextEdit) -> dict[int, int]:
    moved: dict[int, int] = {}
    for start, end in spans.items():
        if end < edit.start:
            moved[start] = end
        elif start > edit.old_end:
            moved[start + edit.delta] = end + edit.delta
    return moved


class Source:
    """A text that was parsed: always the newest version, for all who read from it."""

    __slots__ = ("_letters", "starts", "text")

    text: Text
    starts: list[int]
    """Where each line starts: those of `text` in a list, which is looked into twice as fast."""

    def __init__(self, text: Text) -> None:
        self.show(text)

    def show(self, text: Text) -> None:
        """Go on to another version."""
        self.text, self.starts = text, list(text.starts)
        # Where each letter is a byte, names are cut out of one string: decoding each takes three times as long.
        self._letters = text.content.decode("ascii") if text.content.isascii() else None

    def line_of(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def read(self, node: tree_sitter.Node) -> str:
        """The text of `node`."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        """The text from byte `start` to byte `end`."""
        if self._letters is not None:
            return self._letters[start:end]
        return self.text.content[start:end].decode("utf-8", "surrogatepass")

    def is_alone(self, span: Span) -> bool:
        """Whether there are only blanks before `span` on its first line and behind it on its last."""
        text = self.text
        before = text.content[text.line_start(self.line_of(span.start)) : span.start]
        return not before.strip() and self.ends_line(span)

    def ends_line(self, span: Span) -> bool:
        """Whether there are only blanks behind `span` on its last line."""
        text = self.text
        return not text.content[span.end : text.line_end(self.last_line(span))].strip()

    def last_line(self, span: Span) -> int:
        """The line of the last byte of `span`: some grammars count the line end as part of a comment."""
        return self.line_of(max(span.start, span.end - 1))

    def indent(self, offset: int) -> str:
        """The blanks that the line at `offset` begins with."""
        start = self.text.line_start(self.line_of(offset))
        before = self.between(start, offset)
        return before[: len(before) - len(before.lstrip())]

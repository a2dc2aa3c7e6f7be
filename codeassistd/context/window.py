r"""The text round a cursor, cut from a document without touching the rest of it.

Whole lines up to a number of bytes on each side, and the cursor's own line; a line of megabytes is read from a fixed
window of bytes round the cursor. What comes out is clean for a prompt: line ends are `\n`, there is no byte-order mark
and no half of a surrogate pair. The cost depends on the window only, never on the document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codeassistd.text import Span, Text

__all__ = ["HEAD_BYTES", "TAIL_BYTES", "Window", "look"]

HEAD_BYTES = 1024
"""Most bytes of the cursor's line that are read before the cursor."""
TAIL_BYTES = 512
"""Most bytes of the cursor's line that are read after the cursor."""
# The start of a cut line moves in steps, so that the text before the cursor only grows while letters are typed.
_HEAD_STEP = 256
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Window:
    """The text round a cursor; `above + head + tail + below` is one piece of the document.

    Attributes:
        above: whole lines before the cursor's, each with its line end; empty too where `head` was cut.
        head, tail: the cursor's line before and after the cursor, without its line end.
        below: the line end of the cursor's line and whole lines after it; empty too where `tail` was cut.
        first_line: line number of the first line of `above`.
        line: line number of the cursor's line.
        starts_file, ends_file: whether the document has nothing before `prefix`, after `suffix`.
    """

    above: str
    head: str
    tail: str
    below: str
    first_line: int
    line: int
    starts_file: bool
    ends_file: bool

    @property
    def suffix(self) -> str:
        """Everything after the cursor."""
        return self.tail + self.below

    @property
    def prefix(self) -> str:
        """Everything before the cursor."""
        return self.above + self.head


def look(text: Text, offset: int, max_bytes: int) -> Window:
    """The window round byte `offset` with at most `max_bytes` of whole lines on each side of the cursor's line."""
    offset = text.letter_start(offset)
    line = text.line_of(offset)
    start, end = text.line_start(line), text.line_end(line)
    offset = min(offset, end)
    head_start = _head_start(start, offset)
    tail_end = end if end - offset <= TAIL_BYTES else text.letter_start(offset + TAIL_BYTES)
    above_start = _first_line(text, start, max_bytes) if head_start == start else start
    below_end = _end_of_last_line(text, text.line_start(line + 1), max_bytes) if tail_end == end else tail_end
    return Window(
        above=_clean(text.slice(Span(above_start, start))),
        head=_clean(text.slice(Span(head_start, offset))),
        tail=_clean(text.slice(Span(offset, tail_end))),
        below=_clean(text.slice(Span(tail_end, below_end))),
        first_line=text.line_of(above_start),
        line=line,
        starts_file=above_start == 0 and head_start == start,
        ends_file=below_end == len(text),
    )


def _head_start(start: int, offset: int) -> int:
    """Where reading the cursor's line begins: at its start, or a number of whole steps after it."""
    surplus = offset - start - HEAD_BYTES
    return start if surplus <= 0 else start + -(-surplus // _HEAD_STEP) * _HEAD_STEP


def _first_line(text: Text, end: int, max_bytes: int) -> int:
    """Start of the first whole line that lies at most `max_bytes` before `end`."""
    if end <= max_bytes:
        return 0
    line = text.line_of(end - max_bytes)
    return text.line_start(line) if text.line_start(line) == end - max_bytes else min(text.line_start(line + 1), end)


def _end_of_last_line(text: Text, start: int, max_bytes: int) -> int:
    """End of the last whole line that lies within `max_bytes` after `start`."""
    if start + max_bytes >= len(text):
        return len(text)
    return max(text.line_start(text.line_of(start + max_bytes)), start)


def _clean(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub("?", text.replace("\ufeff", ""))

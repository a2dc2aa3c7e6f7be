"""Small models fall into loops: the same line or the same few lines over and over (within a line: see `line_loop`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codeassistd.completion.place import Place

__all__ = ["loop_start", "without_repetition"]

# The same short line may stand twice for a reason, hardly three times; a longer one is hardly meant twice.
_MAX_EQUAL_LINES = 2
_MIN_LONG = 8
_MAX_PERIOD = 6
_LETTER = re.compile(r"[^\W\d_]")


def without_repetition(text: str, place: Place) -> str:
    """Cut where the answer, seen together with the lines above it, begins to go round in a loop."""
    before = list(place.above[-_MAX_PERIOD:])
    first, *rest = text.split("\n")
    kept = loop_start([*before, place.head + first, *rest], len(before)) - len(before)
    return "\n".join([first, *rest][:kept])


def loop_start(lines: Sequence[str], begin: int = 0) -> int:
    """Index of the first line from `begin` on that only goes on with a loop; the number of lines if none does."""
    for index in range(begin, len(lines)):
        if _repeats_line(lines, index) or _doubles_line(lines, index) or _repeats_block(lines, index):
            return index
    return len(lines)


def _repeats_line(lines: Sequence[str], index: int) -> bool:
    line = lines[index]
    start = index - _MAX_EQUAL_LINES
    return start >= 0 and _tells(line) and all(before == line for before in lines[start:index])


def _doubles_line(lines: Sequence[str], index: int) -> bool:
    """Whether a line that is long enough to be meant once equals the one above it."""
    line = lines[index].rstrip()
    above = next((before.rstrip() for before in reversed(lines[:index]) if before.strip()), "")
    return line == above and len(line.strip()) >= _MIN_LONG and _tells(line)


def _repeats_block(lines: Sequence[str], index: int) -> bool:
    """Whether a block of several lines that was just written begins here once more, and goes on to its end."""
    for period in range(2, _MAX_PERIOD + 1):
        block = lines[index : index + period]
        if len(block) == period and index >= period and lines[index - period : index] == block:
            return sum(_tells(line) for line in block) > 1
    return False


def _tells(line: str) -> bool:
    """Whether a line says something: closers, blanks and rules may repeat."""
    return _LETTER.search(line) is not None

"""What the bench asks: fifty questions, each with another piece of a real file pasted into it.

All pieces are of about the same length, since the first turns are held against the last: else the luck of the pieces
would be in the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median

__all__ = ["make_questions"]

_ASKED = (
    "What does this piece of {name} do, in one sentence?",
    "Is there a mistake in this piece of {name}?",
    "How would you name this piece of {name}?",
    "We decided to keep {name} as it is. What does this depend on?",
    "This must not change in {name}. Why may that be?",
)
#: Of the middle length of all pieces: how much longer or shorter one may be.
_SPREAD = 0.15


def make_questions(files: Sequence[Path], n_turns: int, n_lines: int) -> list[str]:
    """Questions with pieces of `n_lines` lines; no piece comes twice while there are others.

    Args:
        files: UTF-8 texts; the pieces of all of them are taken in turn, but for the longest and the shortest.
        n_turns: how many questions.
        n_lines: of each piece.
    """
    pieces = [(path.name, piece) for path in files for piece in _pieces(path.read_text("utf-8"), n_lines)]
    middle = median(len(piece) for _, piece in pieces)
    alike = [(name, piece) for name, piece in pieces if abs(len(piece) - middle) <= _SPREAD * middle]
    return [
        f"{asked.format(name=name)} (question {number})\n```\n{piece}```"
        for number, ((name, piece), asked) in enumerate(islice(zip(cycle(alike), cycle(_ASKED)), n_turns), 1)
    ]


def _pieces(text: str, n_lines: int) -> list[str]:
    lines = text.splitlines(keepends=True)
    return ["".join(lines[start : start + n_lines]) for start in range(0, len(lines) - n_lines + 1, n_lines)]

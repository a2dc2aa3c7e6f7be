"""What the bench asks: fifty questions, each with another piece of a real file pasted into it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

__all__ = ["make_questions"]

_ASKED = (
    "What does this piece of {name} do, in one sentence?",
    "Is there a mistake in this piece of {name}?",
    "How would you name this piece of {name}?",
    "We decided to keep {name} as it is. What does this depend on?",
    "This must not change in {name}. Why may that be?",
)


def make_questions(files: Sequence[Path], n_turns: int, n_lines: int) -> list[str]:
    """Questions with pieces of `n_lines` lines; no piece comes twice while there are others.

    Args:
        files: UTF-8 texts; the pieces of all of them are taken in turn.
        n_turns: how many questions.
        n_lines: of each piece.
    """
    pieces = [(path.name, piece) for path in files for piece in _pieces(path.read_text("utf-8"), n_lines)]
    return [
        f"{asked.format(name=name)} (question {number})\n```\n{piece}```"
        for number, ((name, piece), asked) in enumerate(islice(zip(cycle(pieces), cycle(_ASKED)), n_turns), 1)
    ]


def _pieces(text: str, n_lines: int) -> list[str]:
    lines = text.splitlines(keepends=True)
    return ["".join(lines[start : start + n_lines]) for start in range(0, len(lines) - n_lines + 1, n_lines)]

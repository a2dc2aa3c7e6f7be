"""Whether a text goes round in circles: small models do, and would until the longest answer is reached."""

from __future__ import annotations

__all__ = ["loop_start"]

#: A text is in a loop if it ends in so many equal pieces, each of these lengths in letters.
_N_TIMES = 4
_MIN_PIECE, _MAX_PIECE = 12, 400
#: Rules, tables and zeros are made of few different letters, and may well be as long as they are.
_MIN_LETTERS = 5
#: So many lines without a word, but for the fences of code, nobody writes one after the other.
_N_WORDLESS_LINES = 16
_WORDLESS = " \t\n`"


def loop_start(text: str) -> int | None:
    """Where the second of the equal pieces begins that `text` ends in; None if it ends in none."""
    wordless = len(text.rstrip(_WORDLESS))
    if text.count("\n", wordless) > _N_WORDLESS_LINES:
        return _behind_line(text, _behind_line(text, wordless))
    for size in range(_MIN_PIECE, min(_MAX_PIECE, len(text) // _N_TIMES) + 1):
        piece = text[-size:]
        # The cheap question first: this runs on the loop, while an answer is written.
        if not text.endswith(piece * _N_TIMES):
            continue
        if len({letter for letter in piece if letter.isalpha()}) >= _MIN_LETTERS:
            return len(text) - (_N_TIMES - 1) * size
    return None


def _behind_line(text: str, start: int) -> int:
    return text.index("\n", start) + 1

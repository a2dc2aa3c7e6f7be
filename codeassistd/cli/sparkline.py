"""Values as one line of letters: a sparkline, and a bar of shares. Pure."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["bar", "sparkline"]

_STEPS = "▁▂▃▄▅▆▇█"
#: For terminals and files that know no more than ASCII.
_ASCII_STEPS = "_.-=+*%#"


def sparkline(values: Sequence[float], width: int, *, is_plain: bool = False) -> str:
    """The newest `width` values as heights from 0 to the greatest of them; plain letters for what knows no others."""
    letters = _ASCII_STEPS if is_plain else _STEPS
    newest = values[-width:] if width > 0 else ()
    most = max(newest, default=0.0)
    if most <= 0:
        return letters[0] * len(newest)
    return "".join(letters[min(int(max(0.0, value) / most * len(letters)), len(letters) - 1)] for value in newest)


def bar(shares: Sequence[float], letters: str, width: int) -> str:
    """A line of `width` letters, of which each share gets its part; what is left of it stays blank.

    Args:
        shares: from 0 to 1; what they are together beyond 1 is cut off.
        letters: one for each share.
        width: of the whole.
    """
    line, end = "", 0.0
    for share, letter in zip(shares, letters, strict=True):
        end += share
        line += letter * (round(min(end, 1.0) * width) - len(line))
    return line.ljust(width)

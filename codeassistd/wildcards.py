"""Lines of a `.gitignore` with so many stars that comparing them with a long name takes seconds. Pure.

They are compared by backtracking, whose time grows as the length of a name to the power of the stars, and folders that
somebody else made may hold any line and any name.
"""

from __future__ import annotations

import re

__all__ = ["MOST_STARS", "MOST_STARS_IN_A_NAME", "affordable"]

MOST_STARS = 4
"""Runs of stars in a line."""
MOST_STARS_IN_A_NAME = 3
"""Runs of stars between two slashes."""

_STARS_AND_SLASHES = re.compile(r"\*+|/")


def affordable(line: str) -> str:
    """The line up to the last star that can be afforded; the whole of it where all can be.

    What is left names all that the whole line names, and perhaps more.
    """
    n_in_line = n_in_name = end = 0
    for found in _STARS_AND_SLASHES.finditer(line):
        if found.group() == "/":
            n_in_name = 0
            continue
        n_in_line, n_in_name = n_in_line + 1, n_in_name + 1
        if n_in_line > MOST_STARS or n_in_name > MOST_STARS_IN_A_NAME:
            return line[:end]
        end = found.end()
    return line

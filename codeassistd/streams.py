"""The standard streams of a process that may have been started without some of them.

A closed descriptor 0, 1 or 2 is handed out again by the next `open`: then a print goes into a socket or a database.
Standard library only, since the proxy uses it.
"""

from __future__ import annotations

import os

__all__ = ["STDERR", "STDIN", "STDOUT", "fill_closed_streams"]

STDIN, STDOUT, STDERR = 0, 1, 2


def fill_closed_streams() -> None:
    """Put the null device where a standard stream is closed; call it before anything else is opened."""
    for number in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free descriptor is given out, and all below are filled: it is this one.
            os.open(os.devnull, os.O_RDWR)

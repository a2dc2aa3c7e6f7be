"""What tests of all editors share about bad days: daemons that are late, engines that fail, time that passes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

__all__ = ["BROKEN", "LATE", "STORY", "STORY_SETTINGS", "Stopwatch"]

#: The cause of a step that fails, by the script of a model.
BROKEN = "the processor is on holiday"

#: An answer that is still written when it is taken back: at 10 ms a letter, longer than a test waits for anything.
STORY = "Once upon a time, " * 600
STORY_SETTINGS: Mapping[str, str] = {"CODEASSISTD_CHAT__MAX_TOKENS": "8000", "CODEASSISTD_MODEL__MAX_DRAFT": "0"}

#: A daemon that does nothing until a file appears, and then becomes the real one.
LATE = """
import os, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
os.execv(sys.argv[2], sys.argv[2:])
"""


class Stopwatch:
    """Measures from `start` on.

    Args:
        uncaptured: opens a context in which what is printed is seen.
    """

    def __init__(self, uncaptured: Callable[[], AbstractContextManager[None]]) -> None:
        self._uncaptured = uncaptured
        self._start_s = 0.0

    def start(self) -> None:
        """Measure from now on."""
        self._start_s = time.monotonic()

    def tell(self, what: str) -> None:
        """Print the seconds since the start behind `what`; how many they may be depends on the machine."""
        seconds = time.monotonic() - self._start_s
        with self._uncaptured():
            sys.stdout.write(f"\n{what}: {seconds:.1f} s\n")

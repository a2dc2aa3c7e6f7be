"""Waiting for a condition: the one place where tests look again and again, with a far-off safety stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["SAFETY_S", "wait_for"]

T = TypeVar("T")

SAFETY_S = 60.0
_POLL_S = 0.005


def wait_for(look: Callable[[], T | None], what: str, safety_s: float = SAFETY_S) -> T:
    """Look until there is something true, and return it; fail with `what` after the safety time."""
    until = time.monotonic() + safety_s
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        time.sleep(_POLL_S)
    raise AssertionError(f"waited {safety_s:g} s in vain for {what}")

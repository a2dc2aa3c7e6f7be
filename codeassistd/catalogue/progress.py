"""How a pull tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["OnProgress", "PullProgress", "ignore_progress"]


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a pull is.

    Attributes:
        what: what is being done, for people: `downloading wheel 2 of 4`, `unpacking`, `waiting for another pull`.
        done_bytes: finished bytes of this step; starts above 0 when a download is resumed.
        total_bytes: size of this step; None where unknown.
    """

    what: str
    done_bytes: int
    total_bytes: int | None


OnProgress = Callable[[PullProgress], None]
"""Told often, on the pulling thread; what it raises ends the pull, which a later one continues."""


def ignore_progress(progress: PullProgress) -> None:
    """Tell nobody."""
    del progress

"""What a figure should reach. A goal is printed beside its figure and never asserted: speed depends on the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Goal", "at_least", "at_most", "judged"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit and the side of it that is good."""

    limit: float
    is_ceiling: bool

    def is_reached(self, value: float) -> bool:
        """Whether `value` is on the good side; the limit itself is."""
        return value <= self.limit if self.is_ceiling else value >= self.limit

    def __str__(self) -> str:
        return f"{'<=' if self.is_ceiling else '>='} {self.limit:g}"


def at_most(limit: float) -> Goal:
    """Less is better."""
    return Goal(limit, is_ceiling=True)


def at_least(limit: float) -> Goal:
    """More is better."""
    return Goal(limit, is_ceiling=False)


def judged(figures: Mapping[str, object], goals: Mapping[str, Goal]) -> dict[str, bool]:
    """Whether each figure that has a goal and a value reaches it."""
    return {
        name: goal.is_reached(value)
        for name, goal in goals.items()
        if isinstance(value := figures.get(name), int | float)
    }

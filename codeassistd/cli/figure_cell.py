"""A measured figure as a cell of a table: in its unit, and coloured by its goal."""

from __future__ import annotations

from rich.text import Text

from codeassistd.metrics.goals import Goal

__all__ = ["figure_cell", "number_of"]

_MANY = 100
_MEGABYTE = 1_000_000


def figure_cell(name: str, value: float | None, goal: Goal | None) -> Text:
    """A value, in the unit that its name tells; green where it reaches its goal, red where it does not."""
    if value is None:
        return Text("-")
    style = "" if goal is None else "green" if goal.is_reached(value) else "red"
    return Text(_in_unit(name, value), style)


def number_of(value: object) -> float | None:
    """A figure out of a report's row; None where there is none."""
    return float(value) if isinstance(value, int | float) else None


def _in_unit(name: str, value: float) -> str:
    if "_ms" in name:
        return f"{value:.0f} ms" if value >= _MANY else f"{value:.1f} ms"
    if name.startswith("n_"):
        return f"{value:.0f}"
    if name.endswith("_bytes"):
        return f"{value / _MEGABYTE:.1f} MB"
    if name.endswith("_per_s"):
        return f"{value:.1f} /s"
    if name.endswith(("_share", "_rate", "_reuse")):
        return f"{value:.1%}"
    return f"{value:.3f}"

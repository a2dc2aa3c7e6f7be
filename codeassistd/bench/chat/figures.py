"""The figures of `bench chat`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from types import MappingProxyType

from codeassistd.bench.chat.run import Talked, TurnCost, Way
from codeassistd.metrics.goals import Goal, at_most

__all__ = ["GOALS", "figures_of", "rows_of"]

#: Early turns begin the conversation; those round the tenth are told against those at the end.
_EARLY = range(8, 13)
_N_LATE = 5
GOALS: Mapping[str, Goal] = MappingProxyType({"ttft_growth_memory": at_most(1.3), "cells_growth_memory": at_most(1.3)})


def figures_of(talked: Sequence[Talked]) -> dict[str, float | int | None]:
    """Times and cells round turn 10 and at the end, and what one is of the other, for each way."""
    figures: dict[str, float | int | None] = {}
    for one in talked:
        early = [turn for turn in one.turns if turn.turn in _EARLY]
        late = one.turns[-_N_LATE:]
        name = one.way.value
        for what in ("ttft_ms", "n_cells"):
            figures[f"{what}_early_{name}"] = _middle(early, what)
            figures[f"{what}_late_{name}"] = _middle(late, what)
        figures[f"ttft_growth_{name}"] = _ratio(figures, "ttft_ms", name)
        figures[f"cells_growth_{name}"] = _ratio(figures, "n_cells", name)
        figures[f"ttft_ms_max_{name}"] = max((turn.ttft_ms for turn in one.turns), default=None)
        figures[f"n_cells_max_{name}"] = max((turn.n_cells for turn in one.turns), default=None)
        figures[f"prefix_reuse_{name}"] = _reuse(one.turns)
        figures[f"upkeep_ms_max_{name}"] = max((turn.upkeep_ms for turn in one.turns), default=None)
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in figures.items()}


def rows_of(talked: Sequence[Talked]) -> list[dict[str, object]]:
    """One row for each turn: its costs in both ways."""
    rows: dict[int, dict[str, object]] = {}
    for way in Way:
        for one in talked:
            for turn in one.turns if one.way is way else ():
                row = rows.setdefault(turn.turn, {"turn": turn.turn})
                for what in ("ttft_ms", "total_ms", "n_prompt", "n_cached", "n_cells", "upkeep_ms"):
                    value = getattr(turn, what)
                    row[f"{what}_{way.value}"] = round(value, 1) if isinstance(value, float) else value
    return [rows[number] for number in sorted(rows)]


def _middle(turns: Sequence[TurnCost], what: str) -> float | None:
    return float(median(getattr(turn, what) for turn in turns)) if turns else None


def _ratio(figures: Mapping[str, float | int | None], what: str, name: str) -> float | None:
    early, late = figures[f"{what}_early_{name}"], figures[f"{what}_late_{name}"]
    return None if not early or late is None else late / early


def _reuse(turns: Sequence[TurnCost]) -> float | None:
    n_prompt = sum(turn.n_prompt for turn in turns)
    return sum(turn.n_cached for turn in turns) / n_prompt if n_prompt else None

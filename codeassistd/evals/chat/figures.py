"""The figures of `eval chat`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from codeassistd.evals.chat.run import Judged, Way
from codeassistd.evals.paired import vs_rows

__all__ = ["GOALS", "compared", "figures_of", "rows_of"]

GOALS: Mapping[str, float] = MappingProxyType({"kept_memory": 0.95})
"""What should be reached at least."""


def figures_of(judged: Sequence[Judged]) -> dict[str, float | int | None]:
    """Shares of the conversations whose fact is kept, by way and by kind; None for a way that was not played."""
    figures: dict[str, float | int | None] = {"n_conversations": len({one.case.name for one in judged})}
    for way in Way:
        own = [one for one in judged if one.way is way]
        figures[f"kept_{way.value}"] = _share(own)
        figures[f"n_prompt_{way.value}"] = max((one.n_prompt for one in own), default=None)
    for kind in ("requirement", "decision", "constraint"):
        own = [one for one in judged if one.way is Way.MEMORY and one.case.kind == kind]
        figures[f"kept_memory_{kind}s"] = _share(own)
    return figures


def rows_of(judged: Sequence[Judged]) -> list[dict[str, object]]:
    """One row for each conversation: what kept its fact."""
    names = dict.fromkeys(one.case.name for one in judged)
    rows = []
    for name in names:
        own = [one for one in judged if one.case.name == name]
        case = own[0].case
        row: dict[str, object] = {
            "table": "conversations",
            "name": name,
            "turn": case.stated_in,
            "kind": case.kind,
            "must": case.must,
        }
        rows.append(row | {one.way.value: one.is_kept for one in own})
    return rows


def compared(ours: Sequence[Judged], theirs: Sequence[Judged]) -> list[dict[str, object]]:
    """The rows that compare the memory under two settings, conversation by conversation."""
    pairs = [[one for one in judged if one.way is Way.MEMORY] for judged in (ours, theirs)]
    kept, sizes = (
        tuple([float(getattr(one, name)) for one in judged] for judged in pairs) for name in ("is_kept", "n_prompt")
    )
    return list(vs_rows({"kept_memory": (kept[0], kept[1]), "n_prompt_memory": (sizes[0], sizes[1])}))


def _share(judged: Sequence[Judged]) -> float | None:
    return round(sum(one.is_kept for one in judged) / len(judged), 4) if judged else None

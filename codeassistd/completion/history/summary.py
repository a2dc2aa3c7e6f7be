"""The history in numbers: what became of suggestions, as a whole and by group. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from codeassistd.completion.history.record import Fate, Record
from codeassistd.metrics.stats import share

__all__ = ["grouped", "summary"]


def summary(records: Sequence[Record]) -> dict[str, float | int | None]:
    """How many there are of each fate, and how much of what was accepted stayed; None where nothing is known.

    Shares of fates are of the suggestions whose outcome is known.
    """
    counts = {fate: sum(record.fate is fate for record in records) for fate in Fate}
    n_known = len(records) - counts[Fate.SHOWN]
    return {
        "n_shown": len(records),
        **{f"n_{fate.value}": counts[fate] for fate in Fate if fate is not Fate.SHOWN},
        "n_undecided": counts[Fate.SHOWN],
        "accepted_share": share(counts[Fate.ACCEPTED] + counts[Fate.PARTLY], n_known),
        "dismissed_share": share(counts[Fate.DISMISSED], n_known),
        "kept_30s_share": _mean(record.kept_30s for record in records),
        "kept_2min_share": _mean(record.kept_2min for record in records),
        "kept_10min_share": _mean(record.kept_10min for record in records),
    }


def grouped(records: Iterable[Record]) -> Mapping[str, list[Record]]:
    """The records by language, by where their text came from, and by what the cursor stood in."""
    groups: dict[str, list[Record]] = {}
    names: tuple[tuple[str, Callable[[Record], str]], ...] = (
        ("language", lambda record: record.language),
        ("source", lambda record: record.source),
        ("place", lambda record: record.evidence.situation.value),
    )
    for record in records:
        for kind, name in names:
            groups.setdefault(f"{kind}: {name(record)}", []).append(record)
    return dict(sorted(groups.items()))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

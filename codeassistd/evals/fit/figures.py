"""The figures of `eval fit`: over all spots, and over those of a kind or a language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from codeassistd.evals.fit.run import Asked
from codeassistd.evals.paired import Values
from codeassistd.metrics.goals import Goal, at_least, at_most

__all__ = ["FIT_GOALS", "fit_figures", "fit_values", "grouped", "silences"]

FIT_GOALS: Mapping[str, Goal] = {
    "show_rate": at_least(0.6),
    "parses_as_well_share": at_least(1.0),
    "doubled_share": at_most(0.0),
}


def fit_figures(asked: Sequence[Asked]) -> dict[str, float | None]:
    """Counts and shares; a share of nothing is None."""
    verdicts = [one.verdict for one in asked if one.verdict is not None]
    compiled = [verdict.compiles_as_well for verdict in verdicts if verdict.compiles_as_well is not None]
    return {
        "n_spots": len(asked),
        "n_shown": len(verdicts),
        "show_rate": _share(verdict is not None for verdict in (one.verdict for one in asked)),
        "parses_as_well_share": _share(verdict.parses_as_well for verdict in verdicts),
        "compiles_as_well_share": _share(compiled),
        "doubled_share": _share(bool(verdict.doubled) for verdict in verdicts),
        "n_cut_by_parse": sum("parse" in one.filters for one in asked),
    }


def fit_values(asked: Sequence[Asked]) -> dict[str, Values]:
    """Each figure by spot, to be compared; None where nothing was shown that it could be said of."""
    verdicts = [one.verdict for one in asked]
    compiled = [None if verdict is None else verdict.compiles_as_well for verdict in verdicts]
    return {
        "show_rate": [float(verdict is not None) for verdict in verdicts],
        "parses_as_well_share": [None if verdict is None else float(verdict.parses_as_well) for verdict in verdicts],
        "compiles_as_well_share": [None if compiles is None else float(compiles) for compiles in compiled],
        "doubled_share": [None if verdict is None else float(bool(verdict.doubled)) for verdict in verdicts],
    }


def grouped(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    """The spots by kind, then by language."""
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(one.spot.kind.value, []).append(one)
    for one in sorted(asked, key=lambda one: one.spot.language):
        groups.setdefault(one.spot.language, []).append(one)
    return groups


def silences(asked: Sequence[Asked]) -> dict[str, int]:
    """Why nothing came, in the words of the server, the most frequent first."""
    return dict(Counter(one.reason for one in asked if one.verdict is None).most_common())


def _share(holds: Iterable[bool]) -> float | None:
    values = list(holds)
    return sum(values) / len(values) if values else None

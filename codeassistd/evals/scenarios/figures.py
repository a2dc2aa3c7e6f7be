"""The figures of `eval scenarios`: over all of them, and over those of a group or a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeassistd.evals.paired import Values
from codeassistd.evals.scenarios.outcome import Outcome
from codeassistd.metrics.goals import Goal, at_least, at_most
from codeassistd.metrics.stats import share

__all__ = ["SCENARIO_GOALS", "by_group", "by_language", "scenario_figures", "scenario_values"]

SCENARIO_GOALS: Mapping[str, Goal] = {
    "n_scenarios": at_least(120),
    "n_silent": at_least(50),
    "show_rate": at_least(1.0),
    "quiet_rate": at_least(1.0),
    "fit_rate": at_least(1.0),
    "by_hand_share": at_most(1 / 3),
}


def scenario_figures(outcomes: Sequence[Outcome]) -> dict[str, float | int | None]:
    """Counts and shares; a share of nothing is None."""
    wanted = [one for one in outcomes if one.scenario.wants_text]
    quiet = [one for one in outcomes if not one.scenario.wants_text]
    shown = [one for one in outcomes if one.shown is not None]
    return {
        "n_scenarios": len(outcomes),
        "n_silent": len(quiet),
        "show_rate": share(sum(one.shown is not None for one in wanted), len(wanted)),
        "quiet_rate": share(sum(one.shown is None for one in quiet), len(quiet)),
        "fit_rate": share(sum(not one.unfit for one in shown), len(shown)),
        "n_misses": sum(bool(one.miss) for one in outcomes),
        "by_hand_share": share(sum(one.by_hand for one in outcomes), len(outcomes)),
    }


def scenario_values(outcomes: Sequence[Outcome]) -> dict[str, Values]:
    """Each figure by scenario, to be compared; None where it does not count."""
    return {
        "met_rate": [float(not one.miss) for one in outcomes],
        "show_rate": [float(one.shown is not None) if one.scenario.wants_text else None for one in outcomes],
        "quiet_rate": [None if one.scenario.wants_text else float(one.shown is None) for one in outcomes],
        "fit_rate": [None if one.shown is None else float(not one.unfit) for one in outcomes],
    }


def by_group(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The scenarios of each group."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(one.scenario.group, []).append(one)
    return groups


def by_language(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The scenarios of each language, in the order of their names."""
    languages: dict[str, list[Outcome]] = {}
    for one in sorted(outcomes, key=lambda one: one.scenario.language):
        languages.setdefault(one.scenario.language, []).append(one)
    return languages

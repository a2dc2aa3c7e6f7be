"""How `eval scenarios` is shown: the one JSON object, and a table by group and language with the misses below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from codeassistd.cli.eval_vs import show_vs
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.evals.paired import vs_rows
from codeassistd.evals.scenarios.figures import (
    SCENARIO_GOALS,
    by_group,
    by_language,
    scenario_figures,
    scenario_values,
)
from codeassistd.evals.scenarios.outcome import Outcome
from codeassistd.metrics.goals import judged

__all__ = ["scenarios_report", "show_scenarios"]

_COLUMNS = {
    "n_scenarios": "scenarios",
    "n_silent": "to be silent",
    "show_rate": "shown",
    "quiet_rate": "quiet",
    "fit_rate": "fit",
    "by_hand_share": "by hand",
    "n_misses": "misses",
}


def scenarios_report(
    outcomes: Sequence[Outcome],
    theirs: Sequence[Outcome] | None,
    changed: Sequence[str],
    asked: Mapping[str, object],
) -> Report:
    """The answer of `eval scenarios`: rows for groups and languages, for each miss and each change, the comparison."""
    figures = scenario_figures(outcomes)
    return Report(
        "eval scenarios",
        asked={**asked, "goals": {name: str(goal) for name, goal in SCENARIO_GOALS.items()}},
        effective={"reached": judged(figures, SCENARIO_GOALS)},
        figures={**figures, "n_changed": len(changed)},
        rows=[
            *({"group": name, **scenario_figures(members)} for name, members in by_group(outcomes).items()),
            *({"language": name, **scenario_figures(members)} for name, members in by_language(outcomes).items()),
            *(_miss_row(one) for one in outcomes if one.miss),
            *({"changed": line} for line in changed),
            *([] if theirs is None else _compared(outcomes, theirs)),
        ],
    )


def show_scenarios(outcomes: Sequence[Outcome], report: Report) -> None:
    """Print the table, then what users would complain about, then what the baseline has otherwise."""
    rows = [_row("all", scenario_figures(outcomes))]
    for groups in (by_group(outcomes), by_language(outcomes)):
        rows += [_row(name, scenario_figures(members)) for name, members in groups.items()]
    rows.append([Text("goal"), *(Text(str(SCENARIO_GOALS.get(name, ""))) for name in _COLUMNS)])
    print_table(["", *_COLUMNS.values()], rows)
    for row in report.rows:
        if "miss" in row:
            answers().print(Text(f"{row['scenario']}: {row['miss']}; {row['reason']}"))
        if "changed" in row:
            answers().print(Text(f"otherwise than in the baseline: {row['changed']}"))
    show_vs(report.rows)


def _compared(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> Iterator[dict[str, object]]:
    mine, other = scenario_values(ours), scenario_values(theirs)
    return vs_rows({name: (mine[name], other[name]) for name in mine})


def _row(name: str, figures: Mapping[str, float | None]) -> list[Text]:
    # Goals are for all of them together.
    goals = SCENARIO_GOALS if name == "all" else {}
    return [Text(name), *(figure_cell(column, figures[column], goals.get(column)) for column in _COLUMNS)]


def _miss_row(one: Outcome) -> dict[str, object]:
    return {
        "scenario": one.scenario.title,
        "language": one.scenario.language,
        "miss": one.miss,
        "shown": one.shown,
        "reason": one.reason,
        "filters": list(one.filters),
    }

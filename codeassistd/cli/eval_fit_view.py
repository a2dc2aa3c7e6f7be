"""How `eval fit` is shown: the one JSON object, and a table by kind and language with what went wrong below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from codeassistd.cli.eval_vs import show_vs
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.evals.fit.figures import FIT_GOALS, fit_figures, fit_values, grouped, silences
from codeassistd.evals.fit.run import Asked, FitRun
from codeassistd.evals.paired import vs_rows
from codeassistd.metrics.goals import judged

__all__ = ["fit_report", "show_fit"]

_COLUMNS = {
    "n_spots": "cursors",
    "show_rate": "shown",
    "parses_as_well_share": "parse as well",
    "compiles_as_well_share": "Python takes it",
    "doubled_share": "doubled",
}


def fit_report(
    run: FitRun,
    asked: Mapping[str, object],
    load_before: float,
    *,
    with_text: bool,
    theirs: FitRun | None = None,
) -> Report:
    """The answer of `eval fit`: rows for kinds and languages, for why nothing came, for each fault, and the comparison.

    Args:
        run: what was found.
        asked: what was wished for.
        load_before: of the machine.
        with_text: whether rows of faults hold what was put in, which is text of the model and may be source.
        theirs: what was found with other settings, at the same spots; None without.
    """
    figures = fit_figures(run.asked)
    return Report(
        "eval fit",
        asked={**asked, "goals": {name: str(goal) for name, goal in FIT_GOALS.items()}},
        effective={
            "model": run.model["name"],
            "settings": run.model["effective"],
            "load_before": load_before,
            "reached": judged(figures, FIT_GOALS),
        },
        figures=figures,
        rows=[
            *({"group": name, **fit_figures(members)} for name, members in grouped(run.asked).items()),
            *({"reason": reason, "n_spots": count} for reason, count in silences(run.asked).items()),
            *(_fault_row(one, with_text=with_text) for one in _faulty(run)),
            *([] if theirs is None else _compared(run, theirs)),
        ],
    )


def show_fit(run: FitRun, report: Report) -> None:
    """Print the table, and the places of the faults."""
    rows = [_row("all", fit_figures(run.asked))]
    rows += [_row(name, fit_figures(members)) for name, members in grouped(run.asked).items()]
    rows.append([Text("goal"), Text(""), *(Text(str(FIT_GOALS.get(name, ""))) for name in list(_COLUMNS)[1:])])
    print_table(["", *_COLUMNS.values()], rows)
    for row in report.rows:
        if "fault" in row:
            inserted = f": {row['inserted']!r}" if "inserted" in row else ""
            answers().print(Text(f"{row['at']} ({row['kind']}): {row['fault']}{inserted}"))
    show_vs(report.rows)
    answers().print(f"\n{report.effective['model']}; load of the machine before: {report.effective['load_before']:.1f}")


def _compared(ours: FitRun, theirs: FitRun) -> Iterator[dict[str, object]]:
    mine, other = fit_values(ours.asked), fit_values(theirs.asked)
    return vs_rows({name: (mine[name], other[name]) for name in mine})


def _row(name: str, figures: Mapping[str, float | None]) -> list[Text]:
    return [Text(name), *(figure_cell(column, figures[column], FIT_GOALS.get(column)) for column in _COLUMNS)]


def _faulty(run: FitRun) -> Iterator[Asked]:
    return (one for one in run.asked if one.verdict is not None and not one.verdict.is_good)


def _fault_row(one: Asked, *, with_text: bool) -> dict[str, object]:
    row: dict[str, object] = {
        "at": f"{one.spot.path}:{one.spot.line}",
        "kind": one.spot.kind.value,
        "language": one.spot.language,
        "fault": _fault_of(one),
        "filters": list(one.filters),
    }
    return row | {"inserted": one.inserted} if with_text else row


def _fault_of(one: Asked) -> str:
    verdict = one.verdict
    if verdict is None:
        return ""
    if not verdict.parses_as_well:
        return "parses worse"
    return f"doubled {verdict.doubled}" if verdict.doubled else "Python does not take it"

"""How `eval infill` is shown: the one JSON object, and tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codeassistd.cli.eval_vs import show_vs
from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import print_table
from codeassistd.evals.infill.figures import causes, infill_figures, infill_values
from codeassistd.evals.infill.run import InfillRun, Solved
from codeassistd.evals.paired import vs_rows

__all__ = ["infill_report", "show_infill"]

_ASKED_SANDBOX = "no network, no other processes, nothing written outside of its folder, limits"


def infill_report(
    ours: InfillRun, theirs: InfillRun | None, sandbox: str, asked: Mapping[str, object], *, with_text: bool
) -> Report:
    """The answer of `eval infill`; rows are why problems did not pass, the problems, and the comparison."""
    return Report(
        "eval infill",
        asked={**asked, "sandbox": _ASKED_SANDBOX},
        effective={"model": ours.model, "settings": ours.effective, "sandbox": sandbox},
        figures=infill_figures(ours.solved),
        rows=[
            *({"table": "causes", "cause": cause, "n": n} for cause, n in causes(ours.solved).items()),
            *(_row(one, with_text=with_text) for one in ours.solved),
            *([] if theirs is None else _compared(ours, theirs)),
        ],
    )


def show_infill(report: Report) -> None:
    """Print the figures, why problems did not pass, the texts if they are wanted, and the comparison."""
    print_table(
        ("figure", "value"),
        ((name, figure_cell(name, number_of(value), None)) for name, value in report.figures.items()),
    )
    tables: dict[str, list[Mapping[str, object]]] = {"causes": [], "problems": []}
    for row in report.rows:
        tables.setdefault(str(row["table"]), []).append(row)
    if tables["causes"]:
        print_table(("not passed", "problems"), ((str(row["cause"]), str(row["n"])) for row in tables["causes"]))
    if any("inserted" in row for row in tables["problems"]):
        print_table(
            ("problem", "verdict", "inserted"),
            ((str(row["problem"]), str(row["verdict"]), repr(row["inserted"])) for row in tables["problems"]),
        )
    print_table(("model", "sandbox"), [[str(report.effective["model"]), str(report.effective["sandbox"])]])
    show_vs(report.rows)


def _compared(ours: InfillRun, theirs: InfillRun) -> Iterator[dict[str, object]]:
    values, others = infill_values(ours.solved), infill_values(theirs.solved)
    return vs_rows({name: (values[name], others[name]) for name in values})


def _row(one: Solved, *, with_text: bool) -> dict[str, object]:
    row: dict[str, object] = {
        "table": "problems",
        "problem": one.problem.name,
        "verdict": None if one.ran is None else one.ran.verdict.value,
        "detail": "" if one.ran is None else one.ran.detail,
        "compiles": one.compiles,
        "indent": None if one.format is None else one.format.indent,
        "quotes": None if one.format is None else one.format.quotes,
        "brackets": None if one.format is None else one.format.brackets,
        "reason": one.reason,
    }
    return row | ({"inserted": one.inserted} if with_text else {})

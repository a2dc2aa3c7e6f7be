"""How `eval long` is shown: the one JSON object, and a table of ways by kinds of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from codeassistd.cli.eval_vs import show_vs
from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, notices, print_table
from codeassistd.evals.long.agreement import figures
from codeassistd.evals.long.probe import Kind
from codeassistd.evals.long.run import LongRun, Tried, long_values
from codeassistd.evals.long.ways import AS_SET
from codeassistd.evals.paired import vs_rows

__all__ = ["long_report", "show_long"]

_COLUMNS = {
    "agreement_share": "agree",
    "clear_agreement_share": "agree where clear",
    "written_agreement_share": "write alike",
    "perplexity": "perplexity",
    "nll_change": "nats a token more",
    "compile_rate": "compile",
    "pass_rate": "pass",
}
_ALL = "all"


def long_report(run: LongRun, other: str | None, asked: Mapping[str, object]) -> Report:
    """The answer of `eval long`; rows are each way by kind of text, and the comparison with `other`.

    The figures are those of the way that is set, beside the reference.
    """
    mine = run.way(AS_SET)
    return Report(
        "eval long",
        asked=asked,
        effective={
            "settings": dict(mine.effective),
            "reference": dict(run.tried[0].effective),
            "warnings": list(dict.fromkeys(line for tried in run.tried for line in tried.warnings)),
        },
        figures=figures(mine.agreements),
        rows=[
            *(row for tried in run.tried for row in _rows(run, tried)),
            *([] if other is None else _compared(mine, run.way(other))),
        ],
    )


def show_long(report: Report) -> None:
    """Print every way by kind of text, then the comparison; what is not as asked goes to standard error."""
    ways = [row for row in report.rows if row["table"] == "ways"]
    print_table(
        ("way", "texts", "n", *_COLUMNS.values()),
        (
            (
                str(row["way"]),
                str(row["kind"]),
                str(row["n_probes"]),
                *(figure_cell(name, number_of(row[name]), None) for name in _COLUMNS),
            )
            for row in ways
        ),
    )
    answers().print(
        Text("agreement is with the reference; a choice is clear where the second best is 0.5 logits behind")
    )
    warnings = report.effective["warnings"]
    for line in warnings if isinstance(warnings, list) else ():
        notices().print(Text(str(line)))
    show_vs(report.rows)


def _rows(run: LongRun, tried: Tried) -> Iterator[dict[str, object]]:
    pairs = list(zip(run.probes, tried.agreements, strict=True))
    for kind in (*Kind, None):
        agreements = [one for probe, one in pairs if kind is None or probe.kind is kind]
        yield {
            "table": "ways",
            "way": tried.way.name,
            "kind": _ALL if kind is None else kind.value,
            **figures(agreements),
        }


def _compared(ours: Tried, theirs: Tried) -> Iterator[dict[str, object]]:
    mine, other = long_values(ours.agreements), long_values(theirs.agreements)
    return vs_rows({name: (mine[name], other[name]) for name in mine})

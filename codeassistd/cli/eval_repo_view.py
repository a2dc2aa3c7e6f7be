"""How `eval repo` is shown: the one JSON object, and tables of groups, layers and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from codeassistd.cli.eval_vs import show_paired, show_vs
from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.evals.paired import vs_rows
from codeassistd.evals.repo.figures import grouped, layer_rows, repo_figures, repo_values
from codeassistd.evals.repo.layers import Layer
from codeassistd.evals.repo.run import Hole, RepoRun

__all__ = ["repo_report", "show_repo"]

_COLUMNS = {
    "n_holes": "holes",
    "show_rate": "shown",
    "exact_rate": "exact",
    "first_line_rate": "first line",
    "edit_similarity": "similarity",
    "compile_rate": "compile",
    "indent_kept_rate": "indent kept",
    "quotes_kept_rate": "quotes kept",
    "brackets_kept_rate": "brackets kept",
}


def repo_report(
    ours: RepoRun, theirs: RepoRun | None, layers: Sequence[Layer], asked: Mapping[str, object], *, with_text: bool
) -> Report:
    """The answer of `eval repo`; rows are groups of holes, what each layer changes, the holes, and the comparison."""
    return Report(
        "eval repo",
        asked=asked,
        effective={"model": ours.model, "settings": dict(ours.effective)},
        figures=repo_figures([hole.ours for hole in ours.holes]),
        rows=[
            *({"table": "groups", "group": name, **repo_figures(some)} for name, some in grouped(ours.holes)),
            *layer_rows(ours.holes, layers),
            *(_row(hole, with_text=with_text) for hole in ours.holes),
            *([] if theirs is None else _compared(ours, theirs)),
        ],
    )


def show_repo(report: Report) -> None:
    """Print the groups, what each layer changes, the texts if they are wanted, and the comparison."""
    tables: dict[str, list[Mapping[str, object]]] = {}
    for row in report.rows:
        tables.setdefault(str(row["table"]), []).append(row)
    rows: list[Mapping[str, object]] = [{"group": "all", **report.figures}, *tables["groups"]]
    print_table(
        ("", *_COLUMNS.values()),
        ((str(row["group"]), *(figure_cell(name, number_of(row[name]), None) for name in _COLUMNS)) for row in rows),
    )
    show_paired(tables.get("layers", []), "without a layer of the context (theirs), hole by hole")
    for row in tables["holes"]:
        if "inserted" in row:
            answers().print(Text(f"{row['at']}: {row['inserted']!r} for {row['truth']!r}"))
    show_vs(report.rows)


def _compared(ours: RepoRun, theirs: RepoRun) -> Iterator[dict[str, object]]:
    mine, other = (repo_values([hole.ours for hole in run.holes]) for run in (ours, theirs))
    return vs_rows({name: (mine[name], other[name]) for name in mine})


def _row(hole: Hole, *, with_text: bool) -> dict[str, object]:
    ours = hole.ours
    row: dict[str, object] = {
        "table": "holes",
        "at": f"{hole.spot.path}:{hole.spot.line}",
        "kind": hole.spot.kind.value,
        "language": hole.spot.language,
        "parts": sorted(hole.parts),
        "is_exact": ours.is_exact,
        "similarity": ours.similarity,
        "compiles": ours.compiles,
        "format_kept": None if ours.format is None else ours.format.is_kept,
        "reason": hole.reason,
    }
    return row | ({"inserted": ours.inserted, "truth": hole.spot.removed} if with_text else {})

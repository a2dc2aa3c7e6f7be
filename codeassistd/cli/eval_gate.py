"""`eval gate`: whether what the gate keeps back was wrong, and what it shows right, at random cursors in real files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import psutil
import typer
from rich.text import Text

from codeassistd.cli.eval_spots import N_SPOTS, SECTIONS, Limit, Repositories, Seed, ask_at_spots
from codeassistd.cli.eval_vs import Vs, other_settings, show_vs
from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.options import AsJson, Assignments
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.completion.gate import THRESHOLDS
from codeassistd.completion.weights import CONSTANTS, FEATURES, Weights
from codeassistd.config_layers import load, parse_assignments
from codeassistd.evals.fit.run import FitRun
from codeassistd.evals.gate.figures import best_weights, dial_row, gate_values, ranking
from codeassistd.evals.gate.pairs import Pair, halves, pairs_of
from codeassistd.evals.paired import Values, vs_rows
from codeassistd.paths import Paths

__all__ = ["register"]

_SEED = 2
_COLUMNS = {"show_share": "shown", "precision_share": "of them right", "recall_share": "of the right ones"}


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("gate")(_gate)


def _gate(
    repositories: Repositories,
    *,
    limit: Limit = N_SPOTS,
    seed: Seed = _SEED,
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit weights to half of the files, and judge them by the other half too.")
    ] = False,
    vs: Vs = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Take the model's suggestions at random cursors in real files, and judge the gate that would show or keep them."""
    overrides = parse_assignments(assignments or ())
    others, _ = other_settings(Paths.resolve(), overrides, vs, SECTIONS)
    load_before = psutil.getloadavg()[0]
    # Asked by hand, so that the gate keeps nothing back here.
    run = ask_at_spots(repositories, limit, seed, overrides)
    compared: list[dict[str, object]] = []
    if vs:
        theirs = ask_at_spots(repositories, limit, seed, others)
        mine, other = _values(run, overrides), _values(theirs, others)
        compared = list(vs_rows({name: (mine[name], other[name]) for name in mine}))
    asked = {
        "repositories": [str(path) for path in repositories],
        "limit": limit,
        "seed": seed,
        "fit": fit,
        "set": overrides,
        "vs": list(vs or ()),
    }
    pairs = pairs_of(run.asked)
    report = _report(pairs, run.model, asked, _gates(pairs, fit=fit), load_before=load_before, compared=compared)
    if as_json:
        typer.echo(report.as_json())
    else:
        _show(report)


def _values(run: FitRun, overrides: Mapping[str, str]) -> dict[str, Values]:
    """What the gate shows with the eagerness of these settings, cursor by cursor."""
    eagerness = load(Paths.resolve(), overrides=overrides).settings.completion.eagerness
    return gate_values(run.asked, CONSTANTS, eagerness)


def _gates(pairs: Sequence[Pair], *, fit: bool) -> Mapping[str, Weights]:
    """The gates to judge, by name."""
    to_fit, _ = halves(pairs)
    return {"in force": CONSTANTS} | ({"fitted": best_weights(to_fit)} if fit and to_fit else {})


def _report(
    pairs: Sequence[Pair],
    model: Mapping[str, Any],
    asked: Mapping[str, object],
    gates: Mapping[str, Weights],
    *,
    load_before: float,
    compared: Sequence[Mapping[str, object]],
) -> Report:
    """A row for each gate and setting of the dial, over the half of the files that nothing was fitted to."""
    to_fit, held_out = halves(pairs)
    return Report(
        "eval gate",
        asked=asked,
        effective={"model": model["name"], "settings": model["effective"], "load_before": load_before},
        figures={
            "n_to_fit": len(to_fit),
            "n_judged": len(held_out),
            **{f"ranking_{name.replace(' ', '_')}": ranking(held_out, weights) for name, weights in gates.items()},
            "weights": {name: dict(zip(FEATURES, weights.values, strict=True)) for name, weights in gates.items()},
        },
        rows=[
            {"gate": name, **dial_row(held_out, weights, eagerness)}
            for name, weights in gates.items()
            for eagerness in THRESHOLDS
        ]
        + list(compared),
    )


def _show(report: Report) -> None:
    """Print the table, and how well each gate tells right from wrong."""
    print_table(["gate", "eagerness", *_COLUMNS.values()], [_row(row) for row in report.rows if "gate" in row])
    show_vs(report.rows)
    for name, value in report.figures.items():
        if name.startswith(("n_", "ranking_")):
            answers().print(Text.assemble(f"{name}: ", figure_cell(name, number_of(value), None)))


def _row(row: Mapping[str, object]) -> list[str | Text]:
    return [
        str(row["gate"]),
        str(row["eagerness"]),
        *(figure_cell(name, number_of(row[name]), None) for name in _COLUMNS),
    ]

"""`eval fit`: whether the documents that accepting gives parse as well as before, at random cursors in real files."""

from __future__ import annotations

from typing import Annotated

import psutil
import typer

from codeassistd.cli.eval_fit_view import fit_report, show_fit
from codeassistd.cli.eval_spots import N_SPOTS, SECTIONS, Limit, Repositories, Seed, ask_at_spots
from codeassistd.cli.eval_vs import Vs, other_settings
from codeassistd.cli.options import AsJson, Assignments, WithText
from codeassistd.config_layers import parse_assignments
from codeassistd.evals.fit.run import Trigger
from codeassistd.paths import Paths

__all__ = ["register"]

_SEED = 1


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("fit")(_fit)


def _fit(
    repositories: Repositories,
    *,
    limit: Limit = N_SPOTS,
    seed: Seed = _SEED,
    trigger: Annotated[
        Trigger, typer.Option("--trigger", help="Ask by hand, past the rules of silence, or as typing does.")
    ] = Trigger.INVOKED,
    with_text: WithText = False,
    vs: Vs = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Accept the model's suggestions at random cursors in real files, and judge the documents that this gives."""
    overrides = parse_assignments(assignments or ())
    others, _ = other_settings(Paths.resolve(), overrides, vs, SECTIONS)
    load_before = psutil.getloadavg()[0]
    run = ask_at_spots(repositories, limit, seed, overrides, trigger)
    theirs = ask_at_spots(repositories, limit, seed, others, trigger) if vs else None
    asked = {
        "repositories": [str(path) for path in repositories],
        "limit": limit,
        "seed": seed,
        "trigger": trigger.value,
        "set": overrides,
        "vs": list(vs or ()),
    }
    report = fit_report(run, asked, load_before, with_text=with_text, theirs=theirs)
    if as_json:
        typer.echo(report.as_json())
    else:
        show_fit(run, report)

"""`eval fit`: whether the documents that accepting gives parse as well as before, at random cursors in real files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import psutil
import typer

from codeassistd.cli.editor import PROXY
from codeassistd.cli.eval_fit_view import fit_report, show_fit
from codeassistd.cli.options import AsJson, Assignments
from codeassistd.cli.terminal import share_progress
from codeassistd.config_layers import load, parse_assignments
from codeassistd.errors import UsageError
from codeassistd.evals.fit.run import FitPlan, Trigger, run_fit
from codeassistd.evals.fit.spots import choose_spots, source_files
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = ["register"]

_N_SPOTS = 500
_MAX_SPOTS = 10_000
_SEED = 1


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("fit")(_fit)


def _fit(
    repositories: Annotated[list[Path], typer.Argument(metavar="REPO...", help="Folders of source, or single files.")],
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=_MAX_SPOTS, help="Cursors in all.")] = _N_SPOTS,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the cursors; the same one gives the same.")] = _SEED,
    trigger: Annotated[
        Trigger, typer.Option("--trigger", help="Ask by hand, past the rules of silence, or as typing does.")
    ] = Trigger.INVOKED,
    with_text: Annotated[
        bool, typer.Option("--text", help="List what was put in, too; without it no source text is printed.")
    ] = False,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Accept the model's suggestions at random cursors in real files, and judge the documents that this gives."""
    overrides = parse_assignments(assignments or ())
    user, languages = Paths.resolve(), Languages.default()
    load(user, overrides=overrides)
    for path in repositories:
        if not path.exists():
            raise UsageError(f"there is no {path}; give folders or files of source")
    spots = choose_spots(source_files([path.resolve() for path in repositories], languages), limit, seed, languages)
    if not spots:
        raise UsageError("there is no place to ask at: none of these files is source of a known language")
    first = repositories[0].resolve()
    plan = FitPlan(PROXY, first if first.is_dir() else first.parent, spots, trigger, overrides)
    load_before = psutil.getloadavg()[0]
    progress = share_progress()
    with progress:
        task = progress.add_task("asking", total=len(spots))
        run = run_fit(plan, user, lambda: progress.advance(task))
    asked = {
        "repositories": [str(path) for path in repositories],
        "limit": limit,
        "seed": seed,
        "trigger": trigger.value,
        "set": overrides,
    }
    report = fit_report(run, asked, load_before, with_text=with_text)
    if as_json:
        typer.echo(report.as_json())
    else:
        show_fit(run, report)

"""`eval context`: whether prompts hold the definitions that the next line needs, in any repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codeassistd.cli.eval_context_view import context_report, show_context
from codeassistd.cli.options import AsJson, Assignments
from codeassistd.cli.terminal import share_progress
from codeassistd.clock import SystemClock
from codeassistd.config_layers import load, parse_assignments
from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.evals.context.run import Plan, run_context
from codeassistd.paths import Paths

__all__ = ["register"]

_N_CASES = 60
_MAX_CASES = 5000
_SEED = 1
_SIZES = (1000, 2500)


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("context")(_context)


def _context(
    repositories: Annotated[list[Path], typer.Argument(metavar="REPO...", help="Roots of the repositories to cut.")],
    *,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=_MAX_CASES, help="Most cursors of each repository.")
    ] = _N_CASES,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the cursors; the same one gives the same.")] = _SEED,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Cut lines that need another file's definition out of repositories, and look for it in the prompts."""
    overrides = parse_assignments(assignments or ())
    settings = load(Paths.resolve(), overrides=overrides).settings
    plan = Plan([path.resolve() for path in repositories], limit, seed, _SIZES, settings.context)
    vocabulary = PlainVocabulary()
    with share_progress() as progress:
        bar = progress.add_task("reading", total=None)
        results = run_context(
            plan,
            vocabulary,
            vocabulary.profile(),
            SystemClock(),
            lambda step, done, total: progress.update(bar, description=step, completed=done, total=total),
        )
    asked = {"repositories": [str(path) for path in plan.roots], "limit": limit, "seed": seed, "set": overrides}
    report = context_report(results, plan, asked)
    if as_json:
        typer.echo(report.as_json())
    else:
        show_context(report)

"""Asking the model at random cursors in real files, with a bar: what `eval fit` and `eval gate` have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.cli.editor import PROXY
from codeassistd.cli.terminal import share_progress
from codeassistd.config_layers import load
from codeassistd.errors import UsageError
from codeassistd.evals.fit.run import FitPlan, FitRun, Trigger, run_fit
from codeassistd.evals.fit.spots import choose_spots, source_files
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = ["N_SPOTS", "SECTIONS", "Limit", "Repositories", "Seed", "ask_at_spots"]

N_SPOTS = 500
SECTIONS = ("model", "completion", "context", "index")
"""Of the settings that change what comes."""
_MAX_SPOTS = 10_000

Repositories = Annotated[list[Path], typer.Argument(metavar="REPO...", help="Folders of source, or single files.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=_MAX_SPOTS, help="Cursors in all.")]
Seed = Annotated[int, typer.Option("--seed", help="Chooses the cursors; the same one gives the same.")]


def ask_at_spots(
    repositories: Sequence[Path],
    limit: int,
    seed: int,
    overrides: Mapping[str, str],
    trigger: Trigger = Trigger.INVOKED,
) -> FitRun:
    """Ask at `limit` cursors that the seed chooses, through a daemon of its own with these settings.

    Raises:
        UsageError: there is no such folder or file, or nothing to ask at.
        ConfigError: a setting is wrong.
        DaemonError: there is no daemon to be had, it has no model, or it fails.
    """
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
    progress = share_progress()
    with progress:
        task = progress.add_task("asking", total=len(spots))
        return run_fit(plan, user, lambda: progress.advance(task))

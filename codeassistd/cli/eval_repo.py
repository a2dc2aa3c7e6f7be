"""`eval repo`: holes in real repositories, filled with the whole context and without each layer of it."""

from __future__ import annotations

from typing import Annotated

import typer

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.cli.eval_repo_view import repo_report, show_repo
from codeassistd.cli.eval_vs import Vs, other_settings
from codeassistd.cli.options import AsJson, Assignments, Beside, Roots, WithText, folders
from codeassistd.cli.terminal import share_progress
from codeassistd.config_layers import load, parse_assignments
from codeassistd.evals.repo.layers import Layer
from codeassistd.evals.repo.run import RepoPlan, run_repo
from codeassistd.paths import Paths

__all__ = ["register"]

_N_HOLES = 60
_MAX_HOLES = 5000
_SEED = 1


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("repo")(_repo)


def _repo(
    repositories: Roots,
    *,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=_MAX_HOLES, help="Most holes of each repository.")
    ] = _N_HOLES,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the holes; the same one gives the same.")] = _SEED,
    layers: Annotated[
        list[Layer] | None,
        typer.Option("--without", help="Fill the holes without this layer too; repeatable. Default: each in turn."),
    ] = None,
    with_text: WithText = False,
    beside: Beside = False,
    vs: Vs = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Fill holes in real repositories, and see what each layer of the context is worth."""
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settings = load(paths, overrides=overrides).settings
    _, others = other_settings(paths, overrides, vs, ("model", "completion", "context"))
    roots = folders(repositories)
    if not beside:
        refuse_beside_a_daemon(paths)
    plan = RepoPlan(roots, limit, seed, tuple(layers or Layer))
    with share_progress() as progress:
        bar = progress.add_task("cutting", total=None)

        def on_hole(name: str, done: int, total: int) -> None:
            progress.update(bar, description=f"filling {name}", completed=done, total=total)

        ours = run_repo(plan, paths, settings, on_hole=on_hole)
        bare = RepoPlan(plan.roots, limit, seed, ())
        theirs = None if others is None else run_repo(bare, paths, others, on_hole=on_hole)
    report = repo_report(
        ours,
        theirs,
        plan.layers,
        {
            "repositories": [str(root) for root in plan.roots],
            "limit": limit,
            "seed": seed,
            "without": [layer.value for layer in plan.layers],
            "set": overrides,
            "vs": list(vs or ()),
        },
        with_text=with_text,
    )
    if as_json:
        typer.echo(report.as_json())
    else:
        show_repo(report)

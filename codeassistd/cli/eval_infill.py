"""`eval infill`: a public benchmark of functions with holes, judged by its own unit tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.cli.eval_infill_view import infill_report, show_infill
from codeassistd.cli.eval_vs import Vs, other_settings
from codeassistd.cli.options import AsJson, Assignments, Beside, WithText
from codeassistd.cli.terminal import share_progress
from codeassistd.config import Settings
from codeassistd.config_layers import load, parse_assignments
from codeassistd.evals.infill.problem import Problem, choose, read_problems
from codeassistd.evals.infill.run import InfillRun, run_infill
from codeassistd.evals.sandbox.sandbox import Sandbox
from codeassistd.paths import Paths

__all__ = ["register"]

_SEED = 1


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("infill")(_infill)


def _infill(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="A file of the HumanEval infilling benchmark, .jsonl or .jsonl.gz."),
    ],
    *,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Problems, chosen by the seed; 0 takes all.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the problems; the same one gives the same.")] = _SEED,
    with_text: WithText = False,
    beside: Beside = False,
    vs: Vs = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Fill the holes of functions in, and run their unit tests in a sandbox."""
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settings = load(paths, overrides=overrides).settings
    _, others = other_settings(paths, overrides, vs, ("model", "completion", "context"))
    problems = choose(read_problems(data), limit, seed)
    if not beside:
        refuse_beside_a_daemon(paths)
    sandbox = Sandbox()
    ours, theirs = _run_both(problems, paths, settings, others, sandbox)
    report = infill_report(
        ours,
        theirs,
        sandbox.effective,
        {"data": data.name, "limit": limit, "seed": seed, "set": overrides, "vs": list(vs or ())},
        with_text=with_text,
    )
    if as_json:
        typer.echo(report.as_json())
    else:
        show_infill(report)


def _run_both(
    problems: Sequence[Problem], paths: Paths, settings: Settings, others: Settings | None, sandbox: Sandbox
) -> tuple[InfillRun, InfillRun | None]:
    """One side after the other: each has its own model in memory."""
    sides = [settings] if others is None else [settings, others]
    progress = share_progress()
    with progress:
        task = progress.add_task("filling in", total=len(sides) * len(problems))
        runs = [run_infill(problems, paths, side, sandbox, on_problem=lambda: progress.advance(task)) for side in sides]
    return runs[0], runs[1] if others is not None else None

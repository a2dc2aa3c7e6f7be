"""`eval context`: whether prompts hold the definitions that the next line needs, in any repository."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated

import typer

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.cli.eval_context_view import context_report, show_context
from codeassistd.cli.eval_vs import Vs, other_settings, show_vs
from codeassistd.cli.options import AsJson, Assignments, Beside, ModelName, Roots, folders
from codeassistd.cli.terminal import share_progress
from codeassistd.clock import SystemClock
from codeassistd.config import ModelSettings
from codeassistd.config_layers import load, parse_assignments
from codeassistd.evals.context.open_model import open_model
from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.evals.context.run import Plan, Voice, run_context
from codeassistd.paths import Paths

__all__ = ["register"]

_N_CASES = 60
_MAX_CASES = 5000
_SEED = 1
_SIZES = (1000, 2500)
_JUDGED_SIZE = 600
"""About what a processor reads in the time there is."""
_MIN_SIZE, _MAX_SIZE = 128, 16_384


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("context")(_context)


def _context(
    repositories: Roots,
    *,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=_MAX_CASES, help="Most cursors of each repository.")
    ] = _N_CASES,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the cursors; the same one gives the same.")] = _SEED,
    model: ModelName = "",
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Only look for the definitions: no model is read.")
    ] = False,
    judged_size: Annotated[
        int,
        typer.Option(
            "--model-tokens", min=_MIN_SIZE, max=_MAX_SIZE, help="Tokens of the prompts that the model reads."
        ),
    ] = _JUDGED_SIZE,
    vs: Vs = None,
    beside: Beside = False,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Cut lines that need another file's definition out of repositories, and look for it in the prompts."""
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    if model:
        overrides |= {"model.name": model}
    settings = load(paths, overrides=overrides).settings
    _, other = other_settings(paths, overrides, vs, ("context",))
    # Before the model is loaded, which takes long.
    roots = folders(repositories)
    if not no_model and not beside:
        refuse_beside_a_daemon(paths)
    plan = Plan(
        roots,
        limit,
        seed,
        _SIZES,
        settings.context,
        judged_size,
        other.context if other is not None else None,
    )
    with share_progress() as progress, _voice(paths, settings.model, no_model=no_model) as voice:
        bar = progress.add_task("reading", total=None)
        results = run_context(
            plan,
            voice,
            lambda step, done, total: progress.update(bar, description=step, completed=done, total=total),
        )
    asked: dict[str, object] = {
        "repositories": [str(path) for path in plan.roots],
        "limit": limit,
        "seed": seed,
        "model": "" if no_model else settings.model.name,
        "model_tokens": judged_size,
        "set": overrides,
        "vs": list(vs or ()),
    }
    report = context_report(results, plan, voice, asked)
    if as_json:
        typer.echo(report.as_json())
    else:
        show_context(report)
        show_vs(report.rows)


@contextlib.contextmanager
def _voice(paths: Paths, settings: ModelSettings, *, no_model: bool) -> Iterator[Voice]:
    if no_model:
        vocabulary = PlainVocabulary()
        yield Voice(vocabulary, vocabulary.profile(), SystemClock())
        return
    with open_model(paths, settings) as voice:
        yield voice

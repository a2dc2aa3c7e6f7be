"""`eval long`: what number formats of weights and cache break first in long functions, deep brackets and strings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.cli.eval_long_view import long_report, show_long
from codeassistd.cli.eval_vs import Vs, other_settings
from codeassistd.cli.options import AsJson, Assignments, Beside
from codeassistd.cli.terminal import share_progress
from codeassistd.config import ModelSettings
from codeassistd.config_layers import load, parse_assignments
from codeassistd.evals.context.open_model import open_model
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.long.run import LongRun, run_long
from codeassistd.evals.long.ways import Ladder, Reference, Way, ways_of
from codeassistd.paths import Paths

__all__ = ["register"]

_N_EACH = 4
_MAX_EACH = 200
_SEED = 1
_VS = "as set, with --vs"


class _Cache(StrEnum):
    """Formats of the cache that the ladder may try."""

    Q8_0 = "q8_0"
    Q5_1 = "q5_1"
    Q5_0 = "q5_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"


class _Weights(StrEnum):
    """Formats of the weights that the ladder may try."""

    Q8_0 = "q8_0"
    Q4_0 = "q4_0"


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("long")(_long)


def _long(
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=_MAX_EACH, help="Texts of each kind.")] = _N_EACH,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the texts; the same one gives the same.")] = _SEED,
    caches: Annotated[
        list[_Cache] | None,
        typer.Option("--cache", help="Try this format of keys and values; repeatable. Without: q8_0 and q4_0."),
    ] = None,
    weights: Annotated[
        list[_Weights] | None,
        typer.Option("--weights", help="Try this format of the weights; repeatable. Without: q8_0 and q4_0."),
    ] = None,
    reference: Annotated[
        Reference, typer.Option("--reference", help="Compare with a copy in 16-bit floats, or with the file itself.")
    ] = Reference.F16,
    only_set: Annotated[
        bool, typer.Option("--only-set", help="Try nothing but the way that is set, and that of --vs.")
    ] = False,
    beside: Beside = False,
    vs: Vs = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Have the model read and write long code in several number formats, and compare each with 16-bit floats."""
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settings = load(paths, overrides=overrides).settings.model
    _, others = other_settings(paths, overrides, vs, ("model",))
    if not beside:
        refuse_beside_a_daemon(paths)
    ladder = Ladder(
        reference,
        () if only_set else tuple(weights or _Weights),
        () if only_set else tuple(kind.value for kind in caches or (_Cache.Q8_0, _Cache.Q4_0)),
    )
    with ways_of(paths, settings, ladder) as ways:
        if others is not None:
            ways.insert(2, Way(_VS, others.model))
        run = _run(paths, ways, limit, seed)
    report = long_report(
        run,
        None if others is None else _VS,
        {"limit": limit, "seed": seed, "reference": reference.value, "set": overrides, "vs": list(vs or ())},
    )
    if as_json:
        typer.echo(report.as_json())
    else:
        show_long(report)


def _run(paths: Paths, ways: Sequence[Way], n_each: int, seed: int) -> LongRun:
    @contextlib.contextmanager
    def opened(chosen: ModelSettings) -> Iterator[Reader]:
        with open_model(paths, chosen) as voice:
            if voice.reader is not None:
                yield voice.reader

    with share_progress() as progress:
        bar = progress.add_task("reading", total=None)

        def on_text(way: str, done: int, total: int) -> None:
            progress.update(bar, description=way, completed=done, total=total)

        return run_long(ways, opened, n_each, seed, on_text)

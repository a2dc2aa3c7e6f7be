"""`eval chat`: whether a conversation still knows in turn 20 what was agreed in its first three turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.chat.model import writer_for
from codeassistd.cli.eval_vs import Vs, other_settings, show_vs
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.options import AsJson, Assignments, Beside
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import print_table, share_progress
from codeassistd.config import Settings
from codeassistd.config_layers import load, parse_assignments
from codeassistd.engine.backend import BackendInfo
from codeassistd.evals.chat.case import Case, read_cases
from codeassistd.evals.chat.figures import GOALS, compared, figures_of, rows_of
from codeassistd.evals.chat.open_engine import open_engine
from codeassistd.evals.chat.play import Stage
from codeassistd.evals.chat.run import Judged, run_chat
from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.paths import Paths

__all__ = ["register"]


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("chat")(_chat)


def _chat(
    *,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Conversations; 0 takes all.")] = 0,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Load none: the extract alone remembers. Takes a few seconds.")
    ] = False,
    beside: Beside = False,
    assignments: Assignments = None,
    vs: Vs = None,
    as_json: AsJson = False,
) -> None:
    """Play scripted conversations, and look whether an early fact stands in the prompt of turn 20."""
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settings = load(paths, overrides=overrides).settings
    _, others = other_settings(paths, overrides, vs, ("model", "chat"))
    cases = read_cases()[: limit or None]
    if not no_model and not beside:
        refuse_beside_a_daemon(paths)
    progress = share_progress()
    with progress:
        sides = [settings] if others is None else [settings, others]
        task = progress.add_task("playing", total=len(sides) * len(cases))
        judged, *theirs = [
            asyncio.run(_play(cases, paths, side, lambda: progress.advance(task), with_model=not no_model))
            for side in sides
        ]
    asked = {"limit": limit, "model": not no_model, "set": overrides, "vs": list(vs or ()), "goals": dict(GOALS)}
    report = _report(judged, asked, compared(judged, theirs[0]) if theirs else [])
    if as_json:
        typer.echo(report.as_json())
    else:
        _show(report)


async def _play(
    cases: Sequence[Case], paths: Paths, settings: Settings, on_case: Callable[[], None], *, with_model: bool
) -> list[Judged]:
    if with_model:
        async with open_engine(paths, settings.model) as (engine, model):
            return await run_chat(cases, Stage(model.writer, model.n_ctx, settings.chat), engine, on_case)
    info = BackendInfo(settings.model.n_ctx, 1, 1, 0, metadata={}, asked={}, effective={})
    stage = Stage(writer_for(PlainVocabulary(), info), settings.model.n_ctx, settings.chat)
    return await run_chat(cases, stage, None, on_case)


def _report(
    judged: Sequence[Judged], asked: Mapping[str, object], compared_rows: Sequence[Mapping[str, object]]
) -> Report:
    figures = figures_of(judged)
    reached = {name: (figures[name] or 0) >= goal for name, goal in GOALS.items()}
    return Report(
        "eval chat",
        asked=asked,
        effective={"reached": reached},
        figures=figures,
        rows=[*rows_of(judged), *compared_rows],
    )


def _show(report: Report) -> None:
    ways = ("memory", "model", "extract", "truncation")
    rows: list[list[str | Text]] = []
    for name in ("kept", "n_prompt"):
        figures: list[Any] = [report.figures[f"{name}_{way}"] for way in ways]
        rows.append(
            [name, *(figure_cell(f"{name}_{way}", figure, None) for way, figure in zip(ways, figures, strict=True))]
        )
    print_table(["", *ways], rows)
    lost = [row for row in report.rows if row["table"] == "conversations" and not row["memory"]]
    for row in lost:
        typer.echo(f"lost: {row['name']} ({row['must']}, said in turn {row['turn']})")
    show_vs(report.rows)

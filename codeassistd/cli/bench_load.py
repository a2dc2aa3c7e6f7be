"""`bench load`: many editors at once, and whether each of them gets each of its answers."""

from __future__ import annotations

from typing import Annotated

import psutil
import typer
from rich.text import Text

from codeassistd.bench.load.asked import class_rows
from codeassistd.bench.load.figures import LOAD_GOALS, load_figures
from codeassistd.bench.load.run import LoadPlan, LoadRun, run_load
from codeassistd.bench.typing_run import Where
from codeassistd.cli.bench_files import own_files, script_of
from codeassistd.cli.editor import PROXY, workspace_of
from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.options import AsJson, Assignments
from codeassistd.cli.report import Report
from codeassistd.cli.sparkline import sparkline
from codeassistd.cli.terminal import answers, notices, print_table, share_progress
from codeassistd.config_layers import load, parse_assignments
from codeassistd.errors import UsageError
from codeassistd.metrics.goals import judged
from codeassistd.paths import Paths

__all__ = ["register"]

_N_CLIENTS = 8
_MAX_CLIENTS = 64
_SECONDS = 30
_MAX_SECONDS = 3600
_N_FILES = 24
_N_KEYS = 60
#: Files that fill the prompts of chats and of long documents.
_MIN_BYTES = 6000
_MEANINGS = {
    "n_asked": "requests under load",
    "n_lost": "... without a reply",
    "n_surplus": "replies that nobody asked for, or came twice",
    "requests_per_s": "requests answered per second",
    "tokens_per_s": "tokens read and written per second at work",
    "device_share": "share of the time in which the engine worked",
    "step_tokens": "tokens of an engine step",
    "queue_ms_p50": "waiting in the engine's queue, median",
    "queue_ms_p90": "... 90 of 100 wait less",
    "memory_start_bytes": "memory of the daemon before",
    "memory_peak_bytes": "... at most",
    "memory_end_bytes": "... at the end",
    "keystroke_alone_ms_p90": "one key alone, 90 of 100",
    "keystroke_beside_chat_ms_p90": "... while a chat is answered",
    "keystroke_ratio": "... the one by the other",
    "n_pieces_beside_keys": "pieces of answers that came meanwhile",
}
_CELLS = ("n_asked", "per_s", "total_ms_p50", "total_ms_p90", "total_ms_p99", "first_ms_p50", "first_ms_p90")


def register(bench: typer.Typer) -> None:
    """Add the verb to `bench`."""
    bench.command("load")(_load)


def _load(
    *,
    n_clients: Annotated[
        int,
        typer.Option("--clients", min=1, max=_MAX_CLIENTS, help="Editors at once: half type, the others chat or read."),
    ] = _N_CLIENTS,
    seconds: Annotated[
        int,
        typer.Option("--seconds", min=1, max=_MAX_SECONDS, help="Time of the load; typing beside a chat goes before."),
    ] = _SECONDS,
    where: Annotated[
        Where, typer.Option("--daemon", help="Measure a fresh daemon of its own, or the one that runs.")
    ] = Where.SCRATCH,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Have many editors type, chat about long files and read long files at once, through the language server.

    Exit code 1 if a reply is missing, came twice, or a server complained.
    """
    overrides = parse_assignments(assignments or ())
    if overrides and where is Where.RUNNING:
        raise UsageError("--set is for a daemon of its own; it cannot change the one that runs")
    user = Paths.resolve()
    load(user, overrides=overrides)
    scripts = [script_of(path, _N_KEYS) for path in own_files(_N_FILES, _MIN_BYTES)]
    plan = LoadPlan(
        command=PROXY,
        root=workspace_of(scripts[0].path) or scripts[0].path.parent,
        scripts=scripts,
        n_clients=n_clients,
        seconds=float(seconds),
        where=where,
        overrides=overrides,
    )
    load_before = psutil.getloadavg()[0]
    progress = share_progress()
    with progress:
        task = progress.add_task("starting", total=plan.n_seconds)
        run = run_load(plan, user, lambda phase: progress.update(task, advance=1, description=phase))
    report = _report(plan, run, load_before)
    if as_json:
        typer.echo(report.as_json())
    else:
        _show(run, report)
    _end(run, report)


def _report(plan: LoadPlan, run: LoadRun, load_before: float) -> Report:
    figures = load_figures(plan, run)
    begun_s = run.memory[0][0]
    curve = [{"table": "memory", "at_s": round(at_s - begun_s, 1), "bytes": size} for at_s, size in run.memory]
    return Report(
        "bench load",
        asked={
            "clients": plan.n_clients,
            "seconds": plan.seconds,
            "daemon": plan.where.value,
            "set": dict(plan.overrides),
            "goals": {name: str(goal) for name, goal in LOAD_GOALS.items()},
        },
        effective={
            "model": run.model["name"],
            "settings": run.model["effective"],
            "load_before": load_before,
            "reached": judged(figures, LOAD_GOALS),
            "errors": run.errors,
        },
        figures=figures,
        rows=[*class_rows(run.asked, plan.seconds), *curve],
    )


def _show(run: LoadRun, report: Report) -> None:
    figures = report.figures
    rows = (
        (meaning, figure_cell(name, number_of(figures[name]), LOAD_GOALS.get(name)), str(LOAD_GOALS.get(name, "")))
        for name, meaning in _MEANINGS.items()
    )
    print_table(("figure", "value", "goal"), rows)
    classes = [row for row in report.rows if row["table"] == "classes"]
    table = (
        (Text(str(row["class"])), *(figure_cell(name, number_of(row[name]), None) for name in _CELLS))
        for row in classes
    )
    print_table(("class", *_CELLS), table)
    curve = sparkline([float(size) for _, size in run.memory], len(run.memory))
    answers().print(f"\nmemory {curve}")
    answers().print(f"{report.effective['model']}; load of the machine before: {report.effective['load_before']:.1f}")


def _end(run: LoadRun, report: Report) -> None:
    """Say loudly what must not be."""
    n_lost, n_surplus = report.figures["n_lost"], report.figures["n_surplus"]
    if not (n_lost or n_surplus or run.errors):
        return
    notices().print(
        f"codeassistd: {n_lost} replies were lost, {n_surplus} came twice; {len(run.errors)} errors", style="red"
    )
    for error in dict.fromkeys(run.errors):
        notices().print(f"  {error}")
    raise typer.Exit(1)

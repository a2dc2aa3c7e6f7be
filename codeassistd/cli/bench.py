"""`bench engine | typing`, and all other benches: how fast it is here, and whether that reaches what it should."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import psutil
import typer

from codeassistd.bench.engine.measured import Effort
from codeassistd.bench.engine.run import refuse_beside_a_daemon, run_engine
from codeassistd.bench.engine.table import chosen, goals_of
from codeassistd.bench.typing_run import Gate, Manners, TypingPlan, Where, run_typing
from codeassistd.cli import bench_chat, bench_index, bench_load, bench_matrix
from codeassistd.cli.bench_engine_view import engine_report, plot_steps, show_engine
from codeassistd.cli.bench_files import own_files, script_of
from codeassistd.cli.bench_typing_view import show_typing, typing_report
from codeassistd.cli.editor import PROXY, workspace_of
from codeassistd.cli.options import AsJson, Assignments, Beside, ModelName
from codeassistd.cli.terminal import share_progress
from codeassistd.config_layers import load, parse_assignments
from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["register"]

_N_PAIRS = 30
_MAX_PAIRS = 1000
_PLOTTED = "step_ms_by_tokens"
_N_FILES = 6
_N_KEYS = 50
_INTERVALS_MS = (0, 50, 150)
#: The daemon can explain its last 200 requests, and those of a file are explained once it is typed.
_MAX_KEYS = 190
_MAX_INTERVAL_MS = 60_000
#: Own files with room for as many keys as may be asked for.
_MIN_OWN_BYTES = 4000


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    bench = typer.Typer(help="Measure speed on this machine, beside the goals it should reach.")
    bench.command("engine")(_engine)
    bench.command("typing")(_typing)
    bench_index.register(bench)
    bench_chat.register(bench)
    bench_load.register(bench)
    bench_matrix.register(bench)
    app.add_typer(bench, name="bench")


def _engine(
    *,
    model: ModelName = "",
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="FIGURE", help="Measure this alone; repeatable.")
    ] = None,
    n_pairs: Annotated[
        int, typer.Option("--pairs", min=1, max=_MAX_PAIRS, help="Pairs of runs that a ratio is the median of.")
    ] = _N_PAIRS,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw step time by number of tokens into an SVG file.")
    ] = None,
    beside: Beside = False,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Load the model here and measure the engine: against a bare loop over the same library, and by itself."""
    measurements = chosen(only or ())
    if plot is not None and _PLOTTED not in {measurement.name for measurement in measurements}:
        raise UsageError(f"--plot draws {_PLOTTED}, which --only leaves out; add `--only {_PLOTTED}`")
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    if model:
        overrides |= {"model.name": model}
    settings = load(paths, overrides=overrides).settings
    if not beside:
        refuse_beside_a_daemon(paths)
    load_before = psutil.getloadavg()[0]
    progress = share_progress()
    with progress:
        task = progress.add_task("loading", total=len(measurements) + 1)
        run = run_engine(
            paths,
            settings.model,
            settings.context,
            measurements=measurements,
            effort=Effort(n_pairs),
            on_measurement=lambda name: progress.update(task, advance=1, description=name),
        )
    goals = goals_of(measurements)
    if plot is not None:
        plot_steps(run, plot)
    if as_json:
        asked = {"model": model, "only": list(only or ()), "pairs": n_pairs, "beside": beside, "set": overrides}
        typer.echo(engine_report(run, asked, goals, load_before).as_json())
    else:
        show_engine(run, goals, load_before)


def _typing(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="What to type in; default: some of this program.")
    ] = None,
    *,
    n_keys: Annotated[
        int, typer.Option("--keys", min=1, max=_MAX_KEYS, help="Keys in each file; a line break is one.")
    ] = _N_KEYS,
    intervals: Annotated[
        list[int] | None,
        typer.Option(
            "--interval",
            metavar="MS",
            min=0,
            max=_MAX_INTERVAL_MS,
            help="Milliseconds from key to key; 0 types on at each answer. Repeatable; default: 0, 50 and 150.",
        ),
    ] = None,
    manners: Annotated[
        Manners, typer.Option("--editor", help="Whose manners: VS Code takes useless requests back, Neovim does not.")
    ] = Manners.VSCODE,
    where: Annotated[
        Where, typer.Option("--daemon", help="Measure a fresh daemon of its own, or the one that runs.")
    ] = Where.SCRATCH,
    gates: Annotated[
        list[Gate] | None,
        typer.Option("--gate", help="Hold unsure suggestions back or not; default: once each, or as the daemon runs."),
    ] = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Type in real files as an editor would, and measure how fast suggestions come and how good they are."""
    overrides = parse_assignments(assignments or ())
    if overrides and where is Where.RUNNING:
        raise UsageError("--set is for a daemon of its own; it cannot change the one that runs")
    if gates and where is Where.RUNNING:
        raise UsageError("--gate is for a daemon of its own; the one that runs keeps its settings")
    user = Paths.resolve()
    load(user, overrides=overrides)
    scripts = [script_of(path, n_keys) for path in files or own_files(_N_FILES, _MIN_OWN_BYTES)]
    plan = TypingPlan(
        command=PROXY,
        root=workspace_of(scripts[0].path) or scripts[0].path.parent,
        scripts=scripts,
        intervals_ms=tuple(intervals or _INTERVALS_MS),
        gates=tuple(gates or ((Gate.ON,) if where is Where.RUNNING else Gate)),
        manners=manners,
        where=where,
        overrides=overrides,
    )
    load_before = psutil.getloadavg()[0]
    progress = share_progress()
    with progress:
        task = progress.add_task("typing", total=plan.n_keys)
        paces = run_typing(plan, user, lambda: progress.advance(task))
    report = typing_report(plan, paces, load_before)
    if as_json:
        typer.echo(report.as_json())
    else:
        show_typing(paces, report)

"""`bench index`: what the index costs on a workspace, beside what it may."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import psutil
import typer
from rich.text import Text

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.bench.index.run import INDEX_GOALS, N_STEPS, IndexRun, run_index
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.options import AsJson, Assignments, Beside, folder
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table, share_progress
from codeassistd.config_layers import load, parse_assignments
from codeassistd.metrics.goals import judged
from codeassistd.paths import Paths

__all__ = ["register"]

_N_PAIRS = 5
_MAX_PAIRS = 100
_MEANINGS = {
    "n_files": "files",
    "n_lines": "lines",
    "n_symbols": "symbols",
    "cold_s": "reading all of it, median",
    "parse_s": "bare parsing of the same files, median",
    "cold_vs_parse": "... the one by the other, median of pairs",
    "cold_vs_parse_processor": "... by the processor time of all processes",
    "files_per_s": "files per second",
    "lines_per_s": "lines per second",
    "noop_restart_s": "restart without changes",
    "noop_n_parsed": "... files read then",
    "edit_ms_p50": "one key in 5,000 lines, median",
    "edit_ms_p99": "... 99 of 100 are faster",
    "edit_processor_ms_p50": "... of the processor, median",
    "edit_processor_ms_p99": "... of the processor, 99 of 100 are faster",
    "edit_parse_processor_ms_p99": "... of it the parser, 99 of 100 are faster",
    "peak_bytes": "most memory, workers and growth of the daemon",
    "second_pass_growth": "memory after a second pass by that after the first",
}


def register(bench: typer.Typer) -> None:
    """Add the verb to `bench`."""
    bench.command("index")(_index)


def _index(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Root of a workspace; nothing in it is changed.")],
    *,
    n_pairs: Annotated[
        int, typer.Option("--pairs", min=1, max=_MAX_PAIRS, help="Pairs of runs that the ratio is the median of.")
    ] = _N_PAIRS,
    beside: Beside = False,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Index a workspace here, apart from the daemon's index, and measure time and memory."""
    root = folder(path)
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settings = load(paths, overrides=overrides).settings
    if not beside:
        refuse_beside_a_daemon(paths)
    load_before = psutil.getloadavg()[0]
    progress = share_progress()
    with progress:
        task = progress.add_task("", total=n_pairs + N_STEPS)
        run = run_index(root, settings.index, n_pairs, lambda name: progress.update(task, advance=1, description=name))
    asked = {"path": str(root), "pairs": n_pairs, "beside": beside, "set": overrides}
    report = _report(run, asked, load_before)
    if as_json:
        typer.echo(report.as_json())
    else:
        _show(run, load_before)


def _report(run: IndexRun, asked: dict[str, object], load_before: float) -> Report:
    interval = run.ratio.interval
    return Report(
        "bench index",
        asked=asked | {"goals": {name: str(goal) for name, goal in INDEX_GOALS.items()}},
        effective={
            "load_before": load_before,
            "cold_vs_parse_interval": [interval.low, interval.high],
            "reached": judged(run.figures, INDEX_GOALS),
        },
        figures=run.figures,
        rows=run.rows,
    )


def _show(run: IndexRun, load_before: float) -> None:
    rows = []
    for name, meaning in _MEANINGS.items():
        goal = INDEX_GOALS.get(name)
        rows.append((Text(meaning), figure_cell(name, run.figures[name], goal), Text(str(goal) if goal else "")))
    print_table(("", "value", "goal"), rows)
    interval = run.ratio.interval
    answers().print(
        f"\ncold_vs_parse: {interval.low:.2f} to {interval.high:.2f} in 95 of 100; "
        f"load of the machine before: {load_before:.1f}"
    )

"""`bench chat`: what the turns of a long conversation cost, with the memory and without."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import psutil
import typer
from rich.text import Text

import codeassistd
from codeassistd.bench.chat.figures import GOALS, figures_of, rows_of
from codeassistd.bench.chat.run import ChatPlan, Talked, Way, run_chat_bench
from codeassistd.bench.chat.script import make_questions
from codeassistd.bench.keystrokes import spread
from codeassistd.cli.editor import PROXY
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.options import AsJson, Assignments
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table, share_progress
from codeassistd.config_layers import load, parse_assignments
from codeassistd.metrics.goals import judged
from codeassistd.paths import Paths

__all__ = ["register"]

_N_TURNS, _MAX_TURNS, _MIN_TURNS = 50, 500, 13
_N_LINES = 12
_N_FILES = 12
_SEED = 1
_MIN_BYTES = 4000


def register(bench: typer.Typer) -> None:
    """Add the sub-verb."""
    bench.command("chat")(_chat)


def _chat(
    *,
    n_turns: Annotated[
        int, typer.Option("--turns", min=_MIN_TURNS, max=_MAX_TURNS, help="Questions in each conversation.")
    ] = _N_TURNS,
    n_lines: Annotated[int, typer.Option("--lines", min=1, help="Lines of code pasted into each.")] = _N_LINES,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Ask many questions with pasted code in one conversation, and measure what each takes."""
    overrides = parse_assignments(assignments or ())
    user = Paths.resolve()
    load(user, overrides=overrides)
    questions = make_questions(_own_files(), n_turns, n_lines)
    load_before = psutil.getloadavg()[0]
    progress = share_progress()
    with progress:
        task = progress.add_task("talking", total=len(Way) * n_turns)
        root = Path(codeassistd.__file__).parent
        plan = ChatPlan(PROXY, root, questions, {"index.enabled": "false", **overrides})
        talked = run_chat_bench(plan, user, lambda: progress.advance(task))
    report = _report(talked, {"turns": n_turns, "lines": n_lines, "set": overrides}, load_before)
    if as_json:
        typer.echo(report.as_json())
    else:
        _show(report)


def _own_files() -> list[Path]:
    """Some modules of this program, always the same ones of a version."""
    folder = Path(codeassistd.__file__).parent
    return spread([path for path in folder.rglob("*.py") if path.stat().st_size >= _MIN_BYTES], _N_FILES, _SEED)


def _report(talked: tuple[Talked, ...], asked: Mapping[str, object], load_before: float) -> Report:
    figures = figures_of(talked)
    # Both conversations had the same model, and differ in settings of `chat` alone.
    model = talked[0].model
    return Report(
        "bench chat",
        asked={**asked, "goals": {name: str(goal) for name, goal in GOALS.items()}},
        effective={
            "model": model["name"],
            "settings": model["effective"],
            "load_before": load_before,
            "reached": judged(figures, GOALS),
        },
        figures=figures,
        rows=rows_of(talked),
    )


def _show(report: Report) -> None:
    names = [name.removesuffix("_memory") for name in report.figures if name.endswith("_memory")]
    rows: list[list[str | Text]] = []
    for name in names:
        cells: list[Text] = []
        for way in Way:
            figure = report.figures[f"{name}_{way.value}"]
            value = figure if isinstance(figure, int | float) else None
            cells.append(figure_cell(name, value, GOALS.get(f"{name}_{way.value}")))
        rows.append([name, *cells])
    print_table(["", *(way.value for way in Way)], rows)
    answers().print(f"\n{report.effective['model']}; load of the machine before: {report.effective['load_before']:.1f}")

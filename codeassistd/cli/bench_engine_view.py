"""How `bench engine` is shown: the one JSON object, tables for people, and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from codeassistd.bench.engine.measured import Row
from codeassistd.bench.engine.run import EngineRun
from codeassistd.bench.svg import plot
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.errors import UsageError
from codeassistd.metrics.goals import Goal, judged

__all__ = ["engine_report", "plot_steps", "show_engine"]

_RATIOS = "ratios"
_STEPS = "step_ms_by_tokens"
_TITLES = {
    "batching": "tokens per second of so many streams together",
    _STEPS: "milliseconds of a step by its number of tokens",
    "step_ms_by_others": "milliseconds of a step of one token by the tokens that another sequence holds",
    "kv_bytes": "memory of keys and values by their format",
}


def engine_report(run: EngineRun, asked: dict[str, object], goals: dict[str, Goal], load_before: float) -> Report:
    """The answer of `bench engine`; `asked` gets the goals added."""
    return Report(
        "bench engine",
        asked=asked | {"goals": {name: str(goal) for name, goal in goals.items()}},
        effective={
            "model": run.model,
            "settings": dict(run.info.effective),
            "warnings": list(run.info.warnings),
            "load_before": load_before,
            "reached": judged(run.figures, goals),
        },
        figures=run.figures,
        rows=run.rows,
    )


def show_engine(run: EngineRun, goals: dict[str, Goal], load_before: float) -> None:
    """Print the figures beside their goals, and under them the tables."""
    intervals = {row["figure"]: f"{row['low']:.3f} to {row['high']:.3f}" for row in run.rows if row["table"] == _RATIOS}
    print_table(
        ("figure", "value", "goal", "in 95 of 100"),
        (
            (name, figure_cell(name, value, goals.get(name)), str(goals.get(name, "")), intervals.get(name, ""))
            for name, value in run.figures.items()
        ),
    )
    for table, title in _TITLES.items():
        rows = [row for row in run.rows if row["table"] == table]
        if rows:
            _show_rows(title, rows)
    answers().print(f"\n{run.model}; load of the machine before: {load_before:.1f}")


def plot_steps(run: EngineRun, path: Path) -> None:
    """Write the plot of step times.

    Raises:
        UsageError: it was not measured, or the file cannot be written.
    """
    points = [(float(row["n_tokens"]), float(row["ms"])) for row in run.rows if row["table"] == _STEPS]  # type: ignore[arg-type]  # numbers in this table
    try:
        path.write_text(plot(_TITLES[_STEPS], "tokens in the step", "ms", points), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def _show_rows(title: str, rows: Sequence[Row]) -> None:
    names = [name for name in rows[0] if name != "table"]
    answers().print(Text(f"\n{title}", style="bold"))
    print_table(names, ([_plain(row[name]) for name in names] for row in rows))


def _plain(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)

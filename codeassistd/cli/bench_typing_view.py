"""How `bench typing` is shown: the one JSON object, and a table in which each figure stands beside its goal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from codeassistd.bench.replies import TYPING_GOALS, typing_figures
from codeassistd.bench.typing_run import Gate, Typed, TypingPlan
from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.metrics.goals import judged

__all__ = ["show_typing", "typing_report"]

_MEANINGS = {
    "n_keys": "keys typed",
    "p50_ms": "request to suggestion, median",
    "p90_ms": "... 90 of 100 are faster",
    "p99_ms": "... 99 of 100 are faster",
    "show_rate": "keys that got a suggestion",
    "agree_share": "of them: as typed next",
    "still_right_share": "of them: still right when they came",
    "without_engine_share": "of them: at hand without the engine",
    "cpu_s_per_key": "processor seconds per key",
    "prefix_reuse": "prompt tokens not read again",
    "first_ms": "first request in a file, median",
    "first_max_ms": "... the slowest",
    "first_show_rate": "files whose first request got one",
}


def typing_report(plan: TypingPlan, paces: Sequence[Typed], load_before: float) -> Report:
    """The answer of `bench typing`; a figure's name ends in its pace: `p50_ms_at_0`, `p50_ms_at_0_gate_off`."""
    figures = {f"{name}_{pace.name}": value for pace in paces for name, value in typing_figures(pace.files).items()}
    goals = {f"{name}_{pace.name}": goal for pace in paces for name, goal in TYPING_GOALS.items()}
    model = paces[0].model
    return Report(
        "bench typing",
        asked={
            "files": [str(script.path) for script in plan.scripts],
            "keys": len(plan.scripts[0].keys),
            "intervals_ms": list(plan.intervals_ms),
            "gates": [gate.value for gate in plan.gates],
            "editor": plan.manners.value,
            "daemon": plan.where.value,
            "set": dict(plan.overrides),
            "goals": {name: str(goal) for name, goal in goals.items()},
        },
        effective={
            "model": model["name"],
            "settings": model["effective"],
            "load_before": load_before,
            "reached": judged(figures, goals),
        },
        figures=figures,
        rows=[
            {"file": file.name, "interval_ms": file.interval_ms, "gate": pace.gate.value, **typing_figures([file])}
            for pace in paces
            for file in pace.files
        ],
    )


def show_typing(paces: Sequence[Typed], report: Report) -> None:
    """Print the figures, one column for each pace."""
    by_pace = [typing_figures(pace.files) for pace in paces]
    headings = ["", *(_heading(pace) for pace in paces), "goal"]
    rows = []
    for name, meaning in _MEANINGS.items():
        goal = TYPING_GOALS.get(name)
        cells = [figure_cell(name, figures[name], goal) for figures in by_pace]
        rows.append([Text(meaning), *cells, Text(str(goal) if goal else "")])
    print_table(headings, rows)
    model, load_before = report.effective["model"], report.effective["load_before"]
    answers().print(f"\n{model}; {len(paces[0].files)} files; load of the machine before: {load_before:.1f}")


def _heading(pace: Typed) -> str:
    speed = f"{pace.interval_ms} ms/key" if pace.interval_ms else "no pause"
    return speed if pace.gate is Gate.ON else f"{speed}, gate off"

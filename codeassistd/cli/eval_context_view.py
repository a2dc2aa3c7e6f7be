"""How `eval context` is shown: the one JSON object, and tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.evals.context.figures import GOALS, compared, figures_of, misses_of
from codeassistd.evals.context.run import CaseResult, Plan, Voice
from codeassistd.metrics.goals import judged

__all__ = ["context_report", "show_context"]


def context_report(results: Sequence[CaseResult], plan: Plan, voice: Voice, asked: Mapping[str, object]) -> Report:
    """The answer of `eval context`; rows are the figures of each repository and the misses."""
    figures = figures_of(results, plan.sizes)
    names = list(dict.fromkeys(result.repository for result in results))
    rows: list[dict[str, object]] = [
        {
            "table": "repositories",
            "repository": name,
            **figures_of([result for result in results if result.repository == name], plan.sizes),
        }
        for name in names
    ]
    for size in plan.sizes:
        rows += [
            {"table": "causes", "n_tokens": size, "cause": cause, "n": n}
            for cause, n in misses_of(results, size).items()
        ]
    rows += [_miss(result) for result in results if result.cause]
    rows += compared(results, plan.sizes)
    return Report(
        "eval context",
        asked={**asked, "goals": {name: str(goal) for name, goal in GOALS.items()}},
        effective={
            "reached": judged(figures, GOALS),
            "order": voice.profile.order.value,
            "vocabulary": "a plain one" if voice.reader is None else "the model's",
        },
        figures=figures,
        rows=rows,
    )


def show_context(report: Report) -> None:
    """Print the figures beside their goals, then each repository's, then the misses by cause."""
    tables: dict[str, list[Mapping[str, object]]] = {}
    for row in report.rows:
        tables.setdefault(str(row["table"]), []).append(row)
    repositories = tables["repositories"]
    names = [str(row["repository"]) for row in repositories]
    print_table(
        ("figure", "all", "goal", *names),
        (
            (
                name,
                figure_cell(name, number_of(value), GOALS.get(name)),
                str(GOALS.get(name, "")),
                *(figure_cell(name, number_of(row[name]), GOALS.get(name)) for row in repositories),
            )
            for name, value in report.figures.items()
        ),
    )
    if causes := tables.get("causes"):
        answers().print(Text("\ndefinitions that are not in our prompts", style="bold"))
        print_table(
            ("tokens", "cause", "cases"), ((str(row["n_tokens"]), str(row["cause"]), str(row["n"])) for row in causes)
        )


def _miss(result: CaseResult) -> dict[str, object]:
    case = result.case
    return {
        "table": "misses",
        "repository": result.repository,
        "place": f"{case.file.path}:{case.line + 1}",
        "truth": case.truth,
        "definition": f"{case.needed.path}: {case.needed.signatures[0]}",
        "use": case.use.value,
        "cause": {str(size): cause.value for size, cause in result.cause.items()},
    }

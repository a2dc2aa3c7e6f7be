"""`eval scenarios`: whether users of small projects see what they want to see, and nothing where they want nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.cli.eval_scenarios_view import scenarios_report, show_scenarios
from codeassistd.cli.eval_vs import Vs, other_settings
from codeassistd.cli.options import AsJson
from codeassistd.cli.terminal import notices, share_progress
from codeassistd.config_layers import load
from codeassistd.errors import UsageError
from codeassistd.evals.scenarios.baseline import differences, read_baseline, written_baseline
from codeassistd.evals.scenarios.raw_texts import RawText, read_raw_texts, written_raw_texts
from codeassistd.evals.scenarios.reading import BASELINE, RAW, TRUTH, read_scenarios
from codeassistd.evals.scenarios.record import record
from codeassistd.evals.scenarios.run import run_scenarios
from codeassistd.evals.scenarios.scenario import Scenario
from codeassistd.paths import Paths

__all__ = ["register"]


def register(group: typer.Typer) -> None:
    """Add the sub-verb."""
    group.command("scenarios")(_scenarios)


def _scenarios(
    groups: Annotated[list[str] | None, typer.Argument(metavar="[GROUP...]", help="Only these; else all.")] = None,
    *,
    recording: Annotated[
        bool, typer.Option("--record", help="First have a model write the texts anew, and keep them.")
    ] = False,
    model: Annotated[str, typer.Option("--model", help="Which one, by name or path; else the one that is set.")] = "",
    update: Annotated[
        bool, typer.Option("--update-baseline", help="Keep what comes as what is expected to come from now on.")
    ] = False,
    vs: Vs = None,
    as_json: AsJson = False,
) -> None:
    """Play what users do in small projects, with a model's recorded words, and judge what they see.

    Exit code 1: something came out otherwise than the baseline has it.
    """
    others, _ = other_settings(Paths.resolve(), {}, vs, ("completion",))
    scenarios = read_scenarios(TRUTH, groups or ())
    if model and not recording:
        raise UsageError("--model says who is recorded; give --record too")
    if update and groups:
        raise UsageError("the baseline is of all scenarios; leave the groups out")
    if recording:
        _record(scenarios, model)
    progress = share_progress()
    with progress:
        task = progress.add_task("playing", total=len(scenarios) * (2 if vs else 1))
        recorded = read_raw_texts(RAW)
        outcomes = run_scenarios(scenarios, recorded, lambda: progress.advance(task))
        theirs = run_scenarios(scenarios, recorded, lambda: progress.advance(task), others) if vs else None
    if update:
        _write(BASELINE, written_baseline(outcomes))
    titles = {scenario.title for scenario in scenarios}
    baseline = {title: line for title, line in read_baseline(BASELINE).items() if not groups or title in titles}
    changed = differences(baseline, outcomes)
    report = scenarios_report(
        outcomes,
        theirs,
        changed,
        {"groups": groups or [], "record": recording, "model": model, "vs": list(vs or ())},
    )
    if as_json:
        typer.echo(report.as_json())
    else:
        show_scenarios(outcomes, report)
    if changed:
        raise typer.Exit(1)


def _record(scenarios: Sequence[Scenario], model: str) -> None:
    """Have the texts written that are not written by hand, and keep them beside the scenarios."""
    user = Paths.resolve()
    settings = load(user).settings.model
    if model:
        settings = settings.model_copy(update={"name": model})
    asked = [scenario for scenario in scenarios if scenario.raw is None]
    progress = share_progress()
    with progress:
        task = progress.add_task("recording", total=len(asked))
        texts = record(asked, user, settings, lambda: progress.advance(task))
    for group in dict.fromkeys(scenario.group for scenario in asked):
        mine: dict[str, RawText] = {one.name: texts[one.title] for one in asked if one.group == group}
        _write(RAW / f"{group}.json", written_raw_texts(mine))
    notices().print(f"recorded {len(asked)} texts in {RAW}")


def _write(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path} ({error.strerror}); record in a clone of the repository") from error

"""`doctor`: looks at everything that can be wrong, and says what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer
from rich.text import Text

from codeassistd.catalogue.catalogue import Catalogue, ResolvedModel
from codeassistd.cli.checks import (
    Check,
    Verdict,
    check_git,
    check_gpu,
    check_grammars,
    check_library,
    check_paths,
    check_processor,
    check_watches,
)
from codeassistd.cli.checks_daemon import checks_of_daemon, failure
from codeassistd.cli.checks_processor import check_features
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import notices, print_table
from codeassistd.config import Settings
from codeassistd.config_layers import WORKSPACE_FILE, find_workspace, load
from codeassistd.daemon.model_files import chosen_model
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.probe import probe
from codeassistd.engine.llama.wheel import processor_flags
from codeassistd.errors import ConfigError, ModelError
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = ["check_rows", "look", "register", "show_checks"]

_STYLES = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red"}


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("doctor")(_doctor)


def _doctor(*, as_json: AsJson = False) -> None:
    """Look at everything that can be wrong: settings, llama.cpp, model, daemon, folders, system, and what is slow.

    Exit code 1 if something does not work.
    """
    checks = look(Paths.resolve())
    if as_json:
        typer.echo(_report(checks).as_json())
    else:
        show_checks(checks)
    if any(check.verdict is Verdict.FAIL for check in checks):
        raise typer.Exit(1)


def look(paths: Paths) -> list[Check]:
    """Look at everything, under a spinner."""
    with notices().status("looking"):
        return list(_checks(paths))


def show_checks(checks: list[Check]) -> None:
    """Print them as a table."""
    print_table(("", "what", "found", "to do"), (_line(check) for check in checks))


def check_rows(checks: list[Check]) -> list[dict[str, object]]:
    """The same for programs."""
    return [{"check": one.name, "verdict": one.verdict, "found": one.found, "remedy": one.remedy} for one in checks]


def _checks(paths: Paths) -> Iterator[Check]:
    settings, settings_check = _settings(paths)
    yield settings_check
    if settings_check.verdict is Verdict.OK:
        yield from _workspace(paths)
    yield check_processor()
    model, model_check = _model(paths, settings)
    yield model_check
    # With a model one batch is tried too, which is where a library that was built for another processor dies.
    result = probe(model.path if model else None)
    yield check_library(result)
    yield check_features(result.facts, processor_flags())
    yield check_gpu(result.facts, settings.model.gpu_layers)
    yield from checks_of_daemon(paths)
    yield from check_paths(paths)
    yield check_watches()
    yield check_git()
    yield check_grammars(Languages.default())


def _settings(paths: Paths) -> tuple[Settings, Check]:
    try:
        loaded = load(paths)
    except ConfigError as error:
        return Settings(), Check("settings", Verdict.FAIL, str(error), "correct it; the other lines use the defaults")
    origins = sorted({origin for origin in loaded.origins.values() if origin != "default"})
    return loaded.settings, Check("settings", Verdict.OK, ", ".join(origins) or "all defaults")


def _workspace(paths: Paths) -> Iterator[Check]:
    """The settings of the workspace here, if it has any; those of the user are right."""
    root = find_workspace(Path.cwd())
    file = None if root is None else root / WORKSPACE_FILE
    if file is None or not file.is_file():
        return
    try:
        load(paths, environ={}, workspace=root)
    except ConfigError as error:
        yield Check("workspace", Verdict.FAIL, str(error), "correct it; until then none of its settings hold")
    else:
        yield Check("workspace", Verdict.OK, str(file))


def _model(paths: Paths, settings: Settings) -> tuple[ResolvedModel | None, Check]:
    catalogue = Catalogue(paths)
    try:
        model = catalogue.resolve(chosen_model(catalogue, settings.model))
        read_header(model.path)
    except (ModelError, ConfigError) as error:
        return None, failure("model", str(error), "see `codeassistd model list`")
    return model, Check("model", Verdict.OK, f"{model.name}: {model.path}")


def _line(check: Check) -> tuple[str | Text, ...]:
    return Text(check.verdict, style=_STYLES[check.verdict]), check.name, check.found, Text(check.remedy, style="bold")


def _report(checks: list[Check]) -> Report:
    counts = {verdict.value: sum(check.verdict is verdict for check in checks) for verdict in Verdict}
    return Report("doctor", figures=counts, rows=check_rows(checks))

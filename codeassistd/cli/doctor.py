"""`doctor`: looks at everything that can be wrong, and says what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.status_view import profile_words
from codeassistd.cli.terminal import notices, print_table
from codeassistd.config import Settings
from codeassistd.config_layers import load
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.model_files import chosen_model
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.probe import probe
from codeassistd.errors import ConfigError, DaemonError, ModelError
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = ["check_rows", "look", "register", "show_checks"]

_STYLES = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red"}


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("doctor")(_doctor)


def _doctor(*, as_json: AsJson = False) -> None:
    """Look at everything that can be wrong: settings, llama.cpp, model, daemon, folders, system.

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
    yield check_processor()
    model, model_check = _model(paths, settings)
    yield model_check
    # With a model one batch is tried too, which is where a library that was built for another processor dies.
    result = probe(model.path if model else None)
    yield check_library(result)
    yield check_gpu(result.facts, settings.model.gpu_layers)
    yield from _daemon(paths)
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


def _model(paths: Paths, settings: Settings) -> tuple[ResolvedModel | None, Check]:
    catalogue = Catalogue(paths)
    try:
        model = catalogue.resolve(chosen_model(catalogue, settings.model))
        read_header(model.path)
    except (ModelError, ConfigError) as error:
        return None, _failure("model", str(error), "see `codeassistd model list`")
    return model, Check("model", Verdict.OK, f"{model.name}: {model.path}")


def _daemon(paths: Paths) -> Iterator[Check]:
    try:
        connection = Launcher(paths).connect(Kind.CONTROL)
        if connection is None:
            yield Check("daemon", Verdict.OK, "not running; an editor or `codeassistd start` starts it")
            return
        with ControlClient(connection) as daemon:
            status = daemon.call("status")
    except DaemonError as error:
        yield _failure("daemon", str(error), "see `codeassistd logs`")
        return
    yield _state(status)
    yield from _profile(status["model"])
    yield from _index(status["index"])


def _state(status: Mapping[str, Any]) -> Check:
    found = f"process {status['pid']} on {status['socket']}: {status['state']} {status['detail']}".strip()
    if status["state"] == "error":
        return _failure("daemon", found, "see `codeassistd logs`")
    return Check("daemon", Verdict.OK, found)


def _profile(model: Mapping[str, Any]) -> Iterator[Check]:
    profile = model["profile"]
    if profile["order"]:
        verdict = Verdict.WARN if profile["warning"] else Verdict.OK
        yield Check("profile", verdict, profile_words(profile), profile["warning"])
    for warning in model["warnings"]:
        yield Check("fallback", Verdict.WARN, warning)


def _index(index: Mapping[str, Any]) -> Iterator[Check]:
    if index.get("problem"):
        yield _failure("index", index["problem"], "see `codeassistd logs`")
    for workspace in index.get("workspaces", ()):
        degraded = workspace["phase"] == "degraded"
        found = f"{workspace['root']}: {workspace['phase']}, watching by {workspace['watching']}"
        yield Check("index", Verdict.WARN if degraded else Verdict.OK, found)


def _failure(name: str, line: str, otherwise: str) -> Check:
    """A line of ours says what is wrong and, behind a semicolon, what to do; one that does not leads to `otherwise`."""
    found, _, remedy = line.partition("; ")
    return Check(name, Verdict.FAIL, found, remedy or otherwise)


def _line(check: Check) -> tuple[str | Text, ...]:
    return Text(check.verdict, style=_STYLES[check.verdict]), check.name, check.found, Text(check.remedy, style="bold")


def _report(checks: list[Check]) -> Report:
    counts = {verdict.value: sum(check.verdict is verdict for check in checks) for verdict in Verdict}
    return Report("doctor", figures=counts, rows=check_rows(checks))

"""`config show | path | docs`: the settings in force, where each comes from, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from codeassistd.cli.options import AsJson, Assignments
from codeassistd.cli.report import Report
from codeassistd.cli.settings_page import settings_page
from codeassistd.cli.terminal import notices, print_table
from codeassistd.config import Settings
from codeassistd.config_layers import (
    WORKSPACE_FILE,
    Loaded,
    find_workspace,
    parse_assignments,
    setting_fields,
)
from codeassistd.daemon.tuned import load_tuned
from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    config = typer.Typer(help="The settings in force and where they come from.")
    config.command("show")(_show)
    config.command("path")(_path)
    config.command("docs")(_docs)
    app.add_typer(config, name="config")


def _show(
    *,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", help="Root of a workspace, whose .codeassistd.toml counts; default: the one here."),
    ] = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Print every setting with its value and where the value comes from."""
    if workspace is not None and not workspace.is_dir():
        raise UsageError(f"{workspace} is not a folder; --workspace takes the root of a workspace")
    root = workspace.absolute() if workspace is not None else find_workspace(Path.cwd())
    loaded = load_tuned(Paths.resolve(), parse_assignments(assignments or ()), root)
    if as_json:
        typer.echo(_report(loaded, root).as_json())
        return
    rows = [
        (key, _shown(value), Text(origin, style="dim" if origin == "default" else "bold"))
        for key, value in _values(loaded.settings).items()
        for origin in [loaded.origins[key]]
    ]
    print_table(("setting", "value", "from"), rows)
    notices().print(Text(_where(root)))


def _path() -> None:
    """Print where the settings file lies, whether or not it exists."""
    typer.echo(str(Paths.resolve().config_file))


def _docs() -> None:
    """Print the page that describes every setting, as Markdown."""
    typer.echo(settings_page(), nl=False)


def _where(workspace: Path | None) -> str:
    """Which workspace's file was looked for."""
    if workspace is None:
        return f"this folder is in no workspace; --workspace names one whose {WORKSPACE_FILE} counts too"
    has = "counts" if (workspace / WORKSPACE_FILE).exists() else "would count, but there is none"
    return f"as in the workspace {workspace}: its {WORKSPACE_FILE} {has}"


def _report(loaded: Loaded, workspace: Path | None) -> Report:
    values = _values(loaded.settings)
    defaults = _values(Settings())
    return Report(
        command="config show",
        asked={key: value for key, value in values.items() if loaded.origins[key] != "default"},
        effective=values,
        figures={"workspace": str(workspace) if workspace is not None else None},
        rows=[
            {"key": key, "value": value, "origin": loaded.origins[key], "default": defaults[key]}
            for key, value in values.items()
        ],
    )


def _values(settings: Settings) -> Mapping[str, object]:
    """Every setting by its dotted key."""
    nested = settings.model_dump(mode="json")
    return {key: nested[key.partition(".")[0]][key.partition(".")[2]] for key in setting_fields()}


def _shown(value: object) -> str:
    """A value as TOML would have it."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case list():
            return "[" + ", ".join(_shown(part) for part in value) + "]"
        case _:
            return str(value)

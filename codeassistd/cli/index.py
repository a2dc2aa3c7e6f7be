"""`index build | status`: the symbol index, through the daemon, which is its only writer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.status_view import workspace_rows
from codeassistd.cli.terminal import notices, print_table, share_progress
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["register"]

_HEADINGS = ("workspace", "phase", "files", "symbols", "watching")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    index = typer.Typer(help="The symbol index of the workspaces.")
    index.command("build")(_build)
    index.command("status")(_status)
    app.add_typer(index, name="index")


def _build(
    path: Annotated[Path, typer.Argument(metavar="[PATH]", help="Root of a workspace; default: here.")] = Path(),
) -> None:
    """Read a workspace into the index; what was read before and did not change is not read again."""
    root = path.resolve()
    if not root.is_dir():
        raise UsageError(f"{path} is not a folder; give the root of a workspace")
    with ControlClient.connect_or_start(Launcher(Paths.resolve())) as daemon, share_progress() as progress:
        if progress.disable:
            notices().print(Text(f"reading {root}"))
        bar = progress.add_task(f"reading {root.name}", total=None)
        workspace = daemon.call(
            "index.build",
            {"path": str(root)},
            lambda step: progress.update(bar, completed=step.get("n_done", 0), total=step.get("n_total") or None),
        )
    print_table(_HEADINGS, workspace_rows({"workspaces": [workspace]}))


def _status(*, as_json: AsJson = False) -> None:
    """Print what is indexed, what was left out and why."""
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        index = daemon.call("index.status")
    if as_json:
        typer.echo(_report(index).as_json())
        return
    print_table(_HEADINGS, workspace_rows(index))
    if not index.get("workspaces"):
        notices().print("no workspace is open now; `codeassistd index build` reads one, and all that was read is kept")
    for grammar in index.get("grammars_off", ()):
        typer.echo(f"off: {grammar}")


def _report(index: Mapping[str, Any]) -> Report:
    figures = dict(index)
    return Report("index status", figures=figures, rows=figures.pop("workspaces", ()))

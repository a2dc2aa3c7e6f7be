"""`status [--json]`: how the daemon stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.status_view import print_status
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("status")(_status)


def _status(*, as_json: AsJson = False) -> None:
    """Print how the daemon stands, with what was asked for beside what is in force.

    Exit code 1 if no daemon is running.
    """
    connection = Launcher(Paths.resolve()).connect(Kind.CONTROL)
    if connection is None:
        if as_json:
            typer.echo(Report("status", figures={"state": "stopped"}).as_json())
        typer.echo("codeassistd: no daemon is running; `codeassistd start` starts one", err=True)
        raise typer.Exit(1)
    with ControlClient(connection) as daemon:
        status = daemon.call("status")
    if as_json:
        typer.echo(_report(status).as_json())
    else:
        print_status(status)


def _report(status: Mapping[str, Any]) -> Report:
    model = dict(status["model"])
    asked, effective = model.pop("asked"), model.pop("effective")
    figures = {**status, "model": model}
    return Report("status", asked, effective, figures, figures.pop("sessions"))

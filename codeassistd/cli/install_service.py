"""`install-service`: the daemon as a service of the user, under systemd or launchd."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.daemon.launcher import SERVE
from codeassistd.paths import OutsidePlaces, Paths, child_environment
from codeassistd.setup.installed import Installed
from codeassistd.setup.service import Service, service_for

__all__ = ["register", "service_here"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("install-service")(_install_service)


def service_here() -> Service:
    """The service for this system and this installation.

    Raises:
        UsageError: this system has no manager of services that is known.
    """
    user_id = os.getuid() if hasattr(os, "getuid") else 0
    return service_for(OutsidePlaces.resolve(), SERVE, child_environment(), user_id)


def _install_service(
    *,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="End the service and remove its file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have the daemon started with your session, and again after a crash; editors need no such service."""
    service = service_here()
    installed = Installed(Paths.resolve().installed_file)
    if uninstall:
        was_there = service.uninstall(installed)
        done = f"removed {service.path}" if was_there else "no service of ours is installed"
        command = ""
    else:
        service.install(installed)
        done, command = f"wrote {service.path}", shlex.join(service.enable)
    if as_json:
        figures = {"path": str(service.path), "is_installed": not uninstall, "enable": command}
        typer.echo(Report("install-service", asked={"uninstall": uninstall}, figures=figures).as_json())
        return
    typer.echo(done)
    if command:
        typer.echo(f"start it now and with each session: {command}")

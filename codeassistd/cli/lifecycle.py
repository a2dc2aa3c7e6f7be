"""`start` and `stop`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import typer

from codeassistd.cli.options import Assignments
from codeassistd.config_layers import load, parse_assignments
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.paths import Paths

__all__ = ["register"]

#: Longest wait of `start` for the model: a small one is loaded by then, and a missing one found out.
_SETTLE_S = 5.0
_POLL_S = 0.05


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command("start")(_start)
    app.command("stop")(_stop)


def _start(*, assignments: Assignments = None) -> None:
    """Start the daemon, if none runs yet. Editors do this by themselves.

    Waits some seconds for the model. Exit code 0 if there is a daemon, also where it has no model, which is told on
    standard error: the daemon can be asked, and loads one as soon as there is one.
    """
    paths = Paths.resolve()
    # Read here too: a mistake in the settings is the user's to see at once, not the daemon's to log.
    load(paths, overrides=parse_assignments(assignments or ()))
    flags = [part for assignment in assignments or () for part in ("--set", assignment)]
    launcher = Launcher(paths, command=(*SERVE, *flags))
    connection = launcher.connect(Kind.CONTROL)
    was_running = connection is not None
    with ControlClient(connection or launcher.connect_or_start(Kind.CONTROL)) as daemon:
        status = _settled(daemon)
    note = "; --set counts from its next start" if was_running and flags else ""
    verb = "was running already" if was_running else "is running"
    if status["state"] == "error":
        typer.echo(f"codeassistd: the daemon {verb} (process {status['pid']}), but {status['detail']}{note}", err=True)
        return
    state = "still loading the model" if status["state"] == "loading" else status["state"]
    typer.echo(f"the daemon {verb} (process {status['pid']}, {state}){note}")


def _settled(daemon: ControlClient) -> Mapping[str, Any]:
    """The daemon's status once the model is loaded or is known not to be, or after a while as it is."""
    until = time.monotonic() + _SETTLE_S
    while True:
        status: Mapping[str, Any] = daemon.call("status")
        if status["state"] != "loading" or time.monotonic() > until:
            return status
        time.sleep(_POLL_S)


def _stop() -> None:
    """End the daemon; editors keep their text and get no suggestions until it is started again."""
    pid = stop_daemon(Paths.resolve())
    typer.echo("no daemon was running" if pid is None else f"the daemon has ended (process {pid})")

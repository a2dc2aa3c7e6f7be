"""`start` and `stop`."""

from __future__ import annotations

import typer

from codeassistd.cli.options import Assignments
from codeassistd.config_layers import load, parse_assignments
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command("start")(_start)
    app.command("stop")(_stop)


def _start(*, assignments: Assignments = None) -> None:
    """Start the daemon, if none runs yet. Editors do this by themselves."""
    paths = Paths.resolve()
    # Read here too: a mistake in the settings is the user's to see at once, not the daemon's to log.
    load(paths, overrides=parse_assignments(assignments or ()))
    flags = [part for assignment in assignments or () for part in ("--set", assignment)]
    launcher = Launcher(paths, command=(*SERVE, *flags))
    connection = launcher.connect(Kind.CONTROL)
    was_running = connection is not None
    with ControlClient(connection or launcher.connect_or_start(Kind.CONTROL)) as daemon:
        status = daemon.call("status")
    note = "; --set counts from its next start" if was_running and flags else ""
    verb = "was running already" if was_running else "is running"
    typer.echo(f"the daemon {verb} (process {status['pid']}, {status['state']}){note}")


def _stop() -> None:
    """End the daemon; editors keep their text and get no suggestions until it is started again."""
    pid = stop_daemon(Paths.resolve())
    typer.echo("no daemon was running" if pid is None else f"the daemon has ended (process {pid})")

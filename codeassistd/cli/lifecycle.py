"""`start` and `stop`."""

from __future__ import annotations

import time

import psutil  # type: ignore[import-untyped]  # ships no type information
import typer

from codeassistd.cli.options import Assignments
from codeassistd.config_layers import load, parse_assignments
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["register", "stop_daemon"]

_END_S = 30.0
_POLL_S = 0.02


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command("start")(_start)
    app.command("stop")(_stop)


def stop_daemon(paths: Paths) -> int | None:
    """End the daemon and wait until its process is gone; returns its process id, None if none was running.

    Raises:
        DaemonError: it does not answer, or does not end.
    """
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        return None
    with ControlClient(connection) as daemon:
        pid = int(daemon.call("status")["pid"])
        daemon.call("stop")
    until = time.monotonic() + _END_S
    while not _has_ended(pid):
        if time.monotonic() > until:
            raise DaemonError(f"process {pid} does not end; see `codeassistd logs`, and kill it if need be")
        time.sleep(_POLL_S)
    return pid


def _has_ended(pid: int) -> bool:
    try:
        # In a container nobody may collect what has ended.
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


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

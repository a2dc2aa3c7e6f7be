"""Ends the daemon from outside and waits until its process is gone."""

from __future__ import annotations

import time

import psutil  # type: ignore[import-untyped]  # ships no type information

from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["stop_daemon"]

_END_S = 30.0
_POLL_S = 0.02


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

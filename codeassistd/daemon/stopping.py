"""Ends the daemon from outside and waits until its process is gone."""

from __future__ import annotations

import time

import psutil

from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.lock import Lock
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["stop_daemon"]

#: Longest wait for a daemon that holds its lock and has no socket: it loads libraries, or saves what it has.
_ANSWER_S = 60.0
_END_S = 30.0
_POLL_S = 0.02


def stop_daemon(paths: Paths) -> int | None:
    """End the daemon and wait until its process is gone; returns its process id, None if none was running.

    One that is on its way up is waited for and ended then; one that is on its way down is waited for.

    Raises:
        DaemonError: it does not answer, or does not end.
    """
    launcher = Launcher(paths)
    connection = launcher.connect(Kind.CONTROL)
    until = time.monotonic() + _ANSWER_S
    leaving: int | None = None
    while connection is None and _is_coming_or_going(paths):
        pid = Lock.holder(paths.lock_file)
        leaving = pid if pid is not None and not _has_ended(pid) else leaving
        if time.monotonic() > until:
            who = f"process {leaving}" if leaving is not None else "a daemon on its way up"
            raise DaemonError(f"{who} does not answer; see `codeassistd logs`, and kill it if need be")
        time.sleep(_POLL_S)
        connection = launcher.connect(Kind.CONTROL)
    if connection is None:
        return leaving
    with ControlClient(connection) as daemon:
        pid = int(daemon.call("status")["pid"])
        daemon.call("stop")
    until = time.monotonic() + _END_S
    while not _has_ended(pid):
        if time.monotonic() > until:
            raise DaemonError(f"process {pid} does not end; see `codeassistd logs`, and kill it if need be")
        time.sleep(_POLL_S)
    return pid


def _is_coming_or_going(paths: Paths) -> bool:
    """Whether there is a daemon, or somebody who starts one: the locks know before and after its socket does."""
    # The start lock first: to look at the other one while a new daemon takes it could cost that daemon its life.
    return Lock.is_held(paths.start_lock_file) or Lock.is_held(paths.lock_file)


def _has_ended(pid: int) -> bool:
    try:
        # In a container nobody may collect what has ended.
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True

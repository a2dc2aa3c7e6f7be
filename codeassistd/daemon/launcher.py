"""Gets a connection to the daemon, starting one if there is none.

However many clients start at once, one of them starts one daemon: the others wait for it, and the daemon's own lock
decides in the end. A daemon that is there but slow is waited for, never replaced. Standard library only, since the
proxy uses it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from codeassistd.daemon.connection import Connection
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.lock import Lock
from codeassistd.daemon.transport import Transport, transport_for
from codeassistd.errors import AlreadyRunningError, ConfigError, DaemonError
from codeassistd.paths import Paths, child_environment, make_private_dir

if TYPE_CHECKING:
    import subprocess

__all__ = ["SERVE", "Launcher"]

#: `-P` keeps the folder it is started in off the import path: a workspace may hold a package of any name.
SERVE = (sys.executable, "-P", "-m", "codeassistd", "serve")

_POLL_S = 0.02
#: Longest wait for a daemon to say hello; one that was stopped by a signal for a while must be waited out.
_ANSWER_S = 10.0
#: Longest wait for a new daemon: a cold disk reads a hundred megabytes of libraries first.
_START_S = 60.0


@dataclass(slots=True)
class Launcher:
    """Connects to the one daemon of these paths.

    Attributes:
        command: what starts a daemon.
        answer_s, start_s: longest waits for an answer and for a new daemon.
    """

    paths: Paths
    command: Sequence[str] = SERVE
    answer_s: float = _ANSWER_S
    start_s: float = _START_S
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def transport(self) -> Transport:
        """How the daemon is reached."""
        return transport_for(self.paths)

    def connect(self, kind: Kind) -> Connection | None:
        """A connection to the running daemon; None if there is none.

        Raises:
            DaemonError: a daemon is there but cannot be talked to.
        """
        # A daemon that we started and that has ended since would stay a zombie for as long as we live.
        self._children = [child for child in self._children if child.poll() is None]
        return Connection.open(self.transport, kind, self.answer_s)

    def connect_or_start(self, kind: Kind) -> Connection:
        """A connection to the running daemon, or to a new one.

        Raises:
            DaemonError: it cannot be started or does not answer; one line with the cause.
        """
        connection = self.connect(kind)
        if connection is not None:
            return connection
        make_private_dir(self.paths.runtime_dir)
        until = time.monotonic() + self.start_s
        lock: Lock | None = None
        try:
            while time.monotonic() < until:
                lock = lock or Lock.take(self.paths.start_lock_file)
                # After the lock: the one who held it before may have started a daemon meanwhile.
                connection = self.connect(kind)
                if connection is not None:
                    return connection
                if lock is not None:
                    return self._start(kind, until, lock)
                time.sleep(_POLL_S)
        finally:
            if lock is not None:
                lock.release()
        raise self._late()

    def _start(self, kind: Kind, until: float, lock: Lock) -> Connection:
        """Start a daemon and wait until it answers; the caller holds the start `lock`."""
        log = _open_log(self.paths.log_file)
        try:
            log_start = os.fstat(log).st_size
            child = self._spawn(log, lock)
        except OSError as error:
            raise DaemonError(f"cannot start {self.command[0]}: {error.strerror}") from error
        finally:
            os.close(log)
        self._children.append(child)
        while time.monotonic() < until:
            connection = self.connect(kind)
            if connection is not None:
                return connection
            # A daemon that found the lock taken leaves the field to its holder, who may still be on the way up.
            if child.returncode not in {None, AlreadyRunningError.exit_code}:
                raise _ended(child.returncode, _last_line(self.paths.log_file, log_start), self.paths.log_file)
            time.sleep(_POLL_S)
        raise self._late()

    def _late(self) -> DaemonError:
        holder = Lock.holder(self.paths.lock_file)
        who = f"process {holder} was the last to hold its lock" if holder else "nothing has taken its lock"
        return DaemonError(f"no daemon came up within {self.start_s:g} s ({who}); see {self.paths.log_file}")

    def _spawn(self, log: int, lock: Lock) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415 - most proxies find a daemon and never need it

        detached = 0
        if sys.platform == "win32":
            detached = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(
            list(self.command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            # A daemon must not keep the folder of the editor that happened to start it, nor die with its terminal.
            cwd=self.paths.runtime_dir.anchor,
            env=child_environment(),
            start_new_session=True,
            # Until it has a lock of its own it is known by ours, also if we are interrupted: `stop` waits for it.
            pass_fds=() if sys.platform == "win32" else (lock.fileno(),),
            creationflags=detached,
        )


def _open_log(path: Path) -> int:
    make_private_dir(path.parent)
    try:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise DaemonError(f"cannot write the log {path}: {error.strerror}; move it away") from error


def _ended(exit_code: int, cause: str, log: Path) -> DaemonError:
    """Why a new daemon is gone; what the user got wrong is told as if the daemon had been started by hand."""
    if cause and exit_code == ConfigError.exit_code:
        error = DaemonError(cause)
        error.exit_code = exit_code
        return error
    return DaemonError(f"the daemon ended at once (exit code {exit_code}): {cause or f'see {log}'}")


def _last_line(path: Path, start: int) -> str:
    """The last line written to `path` after byte `start`."""
    with path.open("rb") as log:
        log.seek(start)
        lines = log.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("codeassistd: ") if lines else ""

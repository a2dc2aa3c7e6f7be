"""A daemon of its own for a measurement: the user's settings and models, but no cache, index or log of theirs.

    with scratch_daemon(Paths.resolve()) as daemon:
        ...  # start `codeassistd lsp --stdio` with `daemon.environ`

At the end it is stopped, whatever happened, and its folder is removed.
"""

from __future__ import annotations

import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from codeassistd.config_layers import as_variables
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.errors import DaemonError, UsageError
from codeassistd.paths import Paths, child_environment

__all__ = ["ScratchDaemon", "scratch_daemon", "terminable"]

_START_S = 120.0
_END_S = 60.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ScratchDaemon:
    """A running daemon that answers on its socket; its model may still be loading.

    Attributes:
        environ: the environment for processes that shall meet it.
    """

    paths: Paths
    environ: Mapping[str, str]


@contextmanager
def scratch_daemon(
    user: Paths, overrides: Mapping[str, str] | None = None, command: Sequence[str] = SERVE
) -> Iterator[ScratchDaemon]:
    """A daemon that shares the settings and models of `user`.

    Args:
        user: the places that are shared.
        overrides: settings that hold in it, as `parse_assignments` returns them.
        command: what starts it.

    Raises:
        UsageError: this system lets no user make links.
        DaemonError: it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="codeassistd-") as folder:
        environ = {**child_environment(), **as_variables(overrides or {}), "CODEASSISTD_HOME": folder}
        daemon = ScratchDaemon(Paths.resolve(environ), environ)
        _share(user.config_dir, daemon.paths.config_dir)
        _share(user.data_dir, daemon.paths.data_dir)
        complaints = Path(folder) / "stderr.txt"
        # A process of our own, and not one that a proxy starts: only so it can be ended while it is still starting.
        with complaints.open("wb") as stderr:
            process = subprocess.Popen(
                list(command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, env=environ
            )
        try:
            with terminable():
                _await_answer(process, daemon.paths, complaints)
                yield daemon
        finally:
            _end(process)


@contextmanager
def terminable() -> Iterator[None]:
    """Let a SIGTERM end this process the way an exception does, so that nothing is left behind.

    Only the main thread may listen to signals; elsewhere whoever runs it has to end it in order.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _exit(number: int, frame: object) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


def _await_answer(process: subprocess.Popen[bytes], paths: Paths, complaints: Path) -> None:
    until = time.monotonic() + _START_S
    while (connection := Launcher(paths).connect(Kind.CONTROL)) is None:
        if process.poll() is not None:
            lines = complaints.read_text("utf-8", "replace").strip().splitlines()
            cause = lines[-1].removeprefix("codeassistd: ") if lines else "without a word"
            raise DaemonError(f"the daemon ended at once (exit code {process.returncode}): {cause}")
        if time.monotonic() > until:
            raise DaemonError(f"the daemon did not come up within {_START_S:g} s")
        time.sleep(_POLL_S)
    connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _share(folder: Path, link: Path) -> None:
    try:
        link.symlink_to(folder.absolute(), target_is_directory=True)
    except OSError as error:
        raise UsageError(
            f"cannot link {link} to {folder} ({error.strerror}); measure the running daemon with `--daemon running`"
        ) from error

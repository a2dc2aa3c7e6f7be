"""Runs a command that the user has typed, with a limit in time and size, for its output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path

from codeassistd.chat.request import RawOutput
from codeassistd.errors import UsageError

__all__ = ["LIMIT_S", "run_command"]

LIMIT_S = 120.0
_READ_BYTES = 65_536
#: Of an output its beginning and its end are kept, in pieces of what was read at once: 1 MiB and 2 MiB at most.
_N_HEAD, _N_TAIL = 16, 32
#: What the command has left running in the background may hold its output open; it is not waited for, even where it
#: has gone into a session of its own and so outlives the rest.
_GRACE_S = 1.0


def run_command(command: str, folder: Path, limit_s: float = LIMIT_S) -> RawOutput:
    """The output of `command`, both streams in order, as the user's shell runs it in `folder`; it gets no input.

    After `limit_s` seconds it is ended with all that it has started.

    Raises:
        UsageError: there is no command, or the system cannot start it.
    """
    if not command.strip():
        raise UsageError("there is no command to run")
    source, sink = os.pipe()
    reader = _Reader(source)
    try:
        process = subprocess.Popen(  # noqa: S602 - the user's own words, typed to be run
            command,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise UsageError(f"the command cannot be run: {error.strerror}") from error
    finally:
        os.close(sink)
    try:
        exit_code: int | None = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        exit_code = None
    finally:
        reader.wait(_GRACE_S if process.poll() is not None else 0)
        _end(process)
        reader.wait(_GRACE_S)
    text = reader.text()
    if exit_code is None:
        text += f"\n[ended after {limit_s:g} s, before it was done]\n"
    return RawOutput(command, text, exit_code)


class _Reader:
    """Reads a pipe to its end on a thread of its own, closes it there, and keeps both ends of what came."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque(maxlen=_N_TAIL)
        self._n_pieces = 0
        self._thread = threading.Thread(target=self._read, name="command output", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for the end, no longer than that; what comes later is read and heard by nobody."""
        self._thread.join(seconds)

    def text(self) -> str:
        """What was kept so far, with a line in place of what was not."""
        with self._lock:
            n_gone = self._n_pieces - len(self._head) - len(self._tail)
            gap = [f"\n[... {n_gone * _READ_BYTES // 1024} KiB left out ...]\n".encode()] if n_gone > 0 else []
            return b"".join([*self._head, *gap, *self._tail]).decode("utf-8", "replace")

    def _read(self) -> None:
        with open(self._source, "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor and no path
            while piece := stream.read(_READ_BYTES):
                with self._lock:
                    self._n_pieces += 1
                    if len(self._head) < _N_HEAD:
                        self._head.append(piece)
                    else:
                        self._tail.append(piece)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command with all that it has started and that still runs."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()

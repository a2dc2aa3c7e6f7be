"""Runs programs that nobody has read, each in a child of its own, and says what became of them.

The child (`jail.py`) shuts itself in; from here it gets its end: by the clock, whatever it does, and with it all that
it has started where there are namespaces.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

__all__ = ["Limits", "Ran", "Sandbox", "Verdict"]

_JAIL = Path(__file__).with_name("jail.py")
_NEEDED = ("SYSTEMROOT",)
"""Without it no Python starts on Windows; all other variables may hold secrets."""
_MOST_TOLD = 65_536
"""Bytes that are read of what a child tells: three short lines."""
_END_S = 5.0
"""For a killed child to be gone."""
_SIGNALLED = 128
"""A child that was ended by a signal inside of its namespaces leaves with this and the signal's number."""


class Verdict(StrEnum):
    """What became of a program."""

    PASSED = "passed"
    """It came to its end."""
    FAILED = "failed"
    """It raised an exception, or left."""
    TIMEOUT = "timeout"
    """Its time was over."""
    KILLED = "killed"
    """A signal ended it: a limit of the system, or its own doing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use.

    Attributes:
        cpu_s: processor time in seconds.
        wall_s: time by the clock; much more, since a busy machine is slow.
        memory_bytes: address space.
        disk_bytes: of all its files, where there are namespaces, and of each of them everywhere.
        n_files: open at once.
        n_processes: of them and their threads at once, where there are namespaces; root is not bound by it.
    """

    cpu_s: int = 5
    wall_s: float = 60.0
    memory_bytes: int = 1 << 30
    disk_bytes: int = 16 << 20
    n_files: int = 64
    n_processes: int = 32


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended.

    Attributes:
        detail: the exception or the signal; empty for one that passed.
        walls: why there were no namespaces round it; empty where there were.
    """

    verdict: Verdict
    detail: str = ""
    walls: str = ""


class Sandbox:
    """Runs programs one after the other, or from several threads at once.

    Attributes:
        walls: why programs are not in namespaces here; empty where they are.
    """

    def __init__(self, limits: Limits | None = None, *, namespaces: bool = True) -> None:
        """Look what this system has to shut programs in with.

        Args:
            limits: what each program may use.
            namespaces: False leaves them out, as on a system without.
        """
        self._limits = limits or Limits()
        self._namespaces = namespaces
        self.walls = self.run("").walls

    @property
    def effective(self) -> str:
        """What is in force, in words."""
        if not self.walls:
            return "namespaces (no network, no other processes, disks read-only), limits, guard"
        return f"limits, guard (sockets and processes refused in the interpreter; no namespaces: {self.walls})"

    def run(self, program: str) -> Ran:
        """Run one program in a folder of its own; blocks until it is gone."""
        with tempfile.TemporaryDirectory(prefix="codeassistd-", ignore_cleanup_errors=True) as folder:
            word = secrets.token_hex(16)
            child = subprocess.Popen(
                (sys.executable, "-I", "-S", "-B", str(_JAIL)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={name: os.environ[name] for name in _NEEDED if name in os.environ},
                start_new_session=True,
            )
            told = _Told(child.stdout)
            try:
                _give(child, self._asked(program, folder, word))
                is_late = not told.wait(self._limits.wall_s)
            finally:
                _end(child)
            return _ran(told.lines(), word, child.returncode, is_late=is_late)

    def _asked(self, program: str, folder: str, word: str) -> dict[str, object]:
        limits = self._limits
        return {
            "program": program,
            "word": word,
            "folder": folder,
            "namespaces": self._namespaces,
            "cpu_s": limits.cpu_s,
            "memory_bytes": limits.memory_bytes,
            "disk_bytes": limits.disk_bytes,
            "n_files": limits.n_files,
            "n_processes": limits.n_processes,
        }


class _Told:
    """Reads what a child tells, on a thread: a bounded number of bytes, so that no flood fills our memory."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream = stream
        self._bytes = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of it; whether that came in time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def lines(self) -> list[dict[str, str]]:
        """The lines that make sense."""
        self._thread.join(_END_S)
        found = []
        for line in self._bytes.splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict)]

    def _read(self) -> None:
        if self._stream is not None:
            with self._stream:
                self._bytes = self._stream.read(_MOST_TOLD)


def _give(child: subprocess.Popen[bytes], asked: dict[str, object]) -> None:
    """Hand the program over; a child that is gone already is told of by its exit code."""
    if child.stdin is not None:
        with contextlib.suppress(OSError), child.stdin:
            child.stdin.write(json.dumps(asked).encode())


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and its group, whatever is left of them."""
    try:
        child.wait(0 if child.poll() is None else None)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                child.kill()
            else:
                os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _ran(lines: Sequence[dict[str, str]], word: str, code: int, *, is_late: bool) -> Ran:
    walls = next((line["namespaces"] for line in lines if "namespaces" in line), "the child did not start")
    if any(line.get("word") == word for line in lines):
        return Ran(Verdict.PASSED, "", walls)
    raised = next((line for line in lines if "raised" in line), None)
    if raised is not None:
        return Ran(Verdict.FAILED, f"{raised['raised']}: {raised.get('message', '')}".rstrip(": "), walls)
    number = -code if code < 0 else code - _SIGNALLED
    if is_late or number == getattr(signal, "SIGXCPU", None):
        return Ran(Verdict.TIMEOUT, "its time was over", walls)
    try:
        return Ran(Verdict.KILLED, signal.Signals(number).name, walls)
    except ValueError:
        # The program may leave with any number that it likes.
        return Ran(Verdict.FAILED, "it left before its end", walls)

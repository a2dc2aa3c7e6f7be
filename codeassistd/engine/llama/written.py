"""Have llama.cpp write one model file out of another: whole or not at all, for the owner only, while one watches.

It cannot be told to stop, and takes minutes for a large model. So a child (`writer`) does it, which is ended where
somebody has had enough, and whose end harms nobody.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.writer import PROBLEM, Order, write_order
from codeassistd.errors import ModelLoadError
from codeassistd.paths import keep_file

__all__ = ["OnWritten", "Writing", "write_model"]

OnWritten = Callable[[int, int], None]
"""Told how many bytes of how many are written, at the start and now and then."""

_LOOK_S = 0.1
"""How often is looked how far it is."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written.

    Attributes:
        source: a GGUF file whose head was read, so that it is whole.
        order: how llama.cpp shall write it.
        n_bytes: how long the target will be about, for which there must be room.
        what: what is written, for errors, such as "model.gguf as Q4_0".
    """

    source: Path
    order: Order
    n_bytes: int
    what: str


def write_model(
    writing: Writing,
    target: Path,
    on_written: OnWritten = lambda _done, _all: None,
    check: Callable[[Header], None] = lambda _: None,
) -> None:
    """Write a model file; 0.4 s for 100 MB, and half a second for the child. Ctrl-C ends it at once.

    Args:
        writing: what.
        target: in a folder that exists; replaced if it is there.
        on_written: told how far it is.
        check: looks at what was written before it takes the target's place; raises ModelLoadError.

    Raises:
        ModelLoadError: no room, llama.cpp refuses, or the target cannot be written.
    """
    on_written(0, writing.n_bytes)
    try:
        _check_space(target, writing.n_bytes)
        # A name of its own: two processes may write the same file at once; the later one wins, and both are whole.
        with tempfile.TemporaryDirectory(prefix=".write-", dir=target.parent, ignore_cleanup_errors=True) as folder:
            part = Path(folder) / target.name
            _write(writing, part, lambda done: on_written(done, writing.n_bytes))
            check(read_header(part))
            keep_file(part, target)
    except OSError as error:
        raise ModelLoadError(f"{target} cannot be written: {error.strerror}") from error


def _check_space(target: Path, n_bytes: int) -> None:
    n_free = shutil.disk_usage(target.parent).free
    if n_bytes > n_free:
        raise ModelLoadError(
            f"{target} would have {n_bytes // 10**6:,} MB, but {n_free // 10**6:,} MB are free there; make room"
        )


def _write(writing: Writing, part: Path, on_written: Callable[[int], None]) -> None:
    order = write_order(part.parent, writing.source, part, writing.order)
    # -P: a folder named like a package of ours in the current directory must not be imported.
    command = [sys.executable, "-P", "-m", "codeassistd.engine.llama.writer", str(order)]
    # By its input, which stays open and empty, it knows that we live.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
    ) as child:
        assert child.stdout is not None  # noqa: S101 - it is a pipe
        try:
            while not _has_ended(child):
                n_written = part.stat().st_size if part.exists() else 0
                if n_written:
                    on_written(n_written)
            said = child.stdout.read()
        finally:
            child.kill()
    if child.returncode != 0:
        raise ModelLoadError(f"{writing.what} cannot be written: {_cause(child.returncode, said)}")


def _has_ended(child: subprocess.Popen[str]) -> bool:
    """Whether the child is done, waited for a moment."""
    try:
        child.wait(_LOOK_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _cause(code: int, said: str) -> str:
    """Why the child has failed, from how it ended and what it said."""
    lines = said.strip().splitlines()
    told = [line.removeprefix(PROBLEM) for line in lines if line.startswith(PROBLEM)]
    if told:
        return told[-1]
    if code == -signal.SIGKILL:
        return "llama.cpp was killed, most likely for want of memory"
    last = f": {lines[-1]}" if lines else ""
    return f"llama.cpp gave up (exit code {code}){last}"

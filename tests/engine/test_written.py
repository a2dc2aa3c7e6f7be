"""llama.cpp's writer in its child: who ends it, and what is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.quantise import FileType, requantise
from codeassistd.engine.llama.writer import Order, write_order
from codeassistd.engine.llama.written import Writing, write_model
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model

posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts and pipes with names are the system's")

HALF_WAY = """#!{python}
import json, os, pathlib, sys
target = pathlib.Path(json.loads(pathlib.Path(sys.argv[-1]).read_text())["target"])
pathlib.Path({pid!r}).write_text(str(os.getpid()))
target.write_text("half")
sys.stdin.read()
"""


def child_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> Path:
    """Takes the interpreter's place; answers the file that its process id comes into."""
    pid, script = tmp_path / "pid", tmp_path / "child"
    script.write_text(program.format(python=sys.executable, pid=str(pid)), encoding="utf-8")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    return pid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With an older copy in it."""
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "copy.gguf").write_bytes(b"older")
    return folder


def as_it_was(folder: Path) -> bool:
    return ["copy.gguf"] == [path.name for path in folder.iterdir()] and b"older" == (folder / "copy.gguf").read_bytes()


@posix
def test_an_interrupt_ends_the_child_and_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle: the child is gone when we are told, and neither a half file nor its folder is left."""
    pid = child_that(tmp_path, monkeypatch, HALF_WAY)

    def interrupt(n_done: int, _n_all: int) -> None:
        if n_done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_model(Writing(tmp_path / "tiny.gguf", Order(2), 100, "it"), folder / "copy.gguf", interrupt)
    assert not psutil.pid_exists(int(pid.read_text()))
    assert as_it_was(folder)


@posix
def test_a_child_that_dies_is_one_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where llama.cpp has a fault with a file, or memory is short."""
    for program, cause in (
        ("#!/bin/sh\nkill -9 $$\n", "most likely for want of memory"),
        ("#!/bin/sh\necho it broke\nexit 4\n", r"gave up \(exit code 4\): it broke"),
    ):
        child_that(tmp_path, monkeypatch, program)
        with pytest.raises(ModelLoadError, match=f"^it cannot be written: llama.cpp .*{cause}$"):
            write_model(Writing(tmp_path / "tiny.gguf", Order(2), 100, "it"), folder / "copy.gguf")
        assert as_it_was(folder)


@posix
def test_the_child_lives_no_longer_than_its_parent(tmp_path: Path) -> None:
    """A parent that was killed leaves neither a busy child nor half a file."""
    source, folder = tmp_path / "source.gguf", tmp_path / "part"
    os.mkfifo(source)  # opened for reading, it waits for ever
    folder.mkdir()
    order = write_order(folder, source, folder / "copy.gguf", Order(2))
    command = [sys.executable, "-P", "-m", "codeassistd.engine.llama.writer", str(order)]
    # Its input ends at once, as that of a parent that is gone.
    assert 1 == subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False).returncode
    assert not folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are this system's")
def test_names_may_hold_any_bytes(tmp_path: Path) -> None:
    """As they come from old archives and foreign disks."""
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    source = write_tiny_model(folder / "tiny.gguf")
    target = folder / os.fsdecode(b"c\xf6py.gguf")
    requantise(source, target, FileType.Q8_0)
    assert 7 == read_header(target).metadata["general.file_type"]

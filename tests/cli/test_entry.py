from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codeassistd.cli import app, entry
from codeassistd.daemon import proxy

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("flags", [[], ["--stdio"], ["--stdio", "--clientProcessId=7"]])
def test_lsp_goes_to_the_proxy(monkeypatch: pytest.MonkeyPatch, flags: list[str]) -> None:
    """With the flags that editors append, the command line's parser never sees it."""
    seen: list[list[str]] = []
    monkeypatch.setattr(proxy, "main", lambda argv: seen.append(argv) or 7)

    assert 7 == entry.main(["lsp", *flags])
    assert [flags] == seen


@pytest.mark.parametrize("argv", [["lsp", "--help"], ["lsp", "--tcp"], ["status"], []])
def test_all_else_goes_to_the_command_line(monkeypatch: pytest.MonkeyPatch, argv: list[str]) -> None:
    """Help pages and mistakes are its business, also those of `lsp`."""
    seen: list[list[str]] = []
    monkeypatch.setattr(app, "run", lambda argv: seen.append(argv) or 7)

    assert 7 == entry.main(argv)
    assert [argv] == seen


def test_ctrl_c_before_the_command_line_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser takes a moment to be imported; then too Ctrl-C is an exit code and no trace."""

    def interrupted(_argv: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "run", interrupted)

    assert 130 == entry.main(["status"])


def test_the_proxy_loads_the_standard_library_alone(tmp_path: Path) -> None:
    """An editor waits for it, and holds one process of it per window."""
    command = [sys.executable, "-X", "importtime", "-P", "-m", "codeassistd", "lsp", "--stdio"]
    environ = {"CODEASSISTD_HOME": str(tmp_path)}

    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environ)

    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert {"codeassistd"} == loaded & {"codeassistd", "typer", "rich", "pydantic", "psutil", "lsprotocol", "numpy"}
    assert "" == done.stdout


def test_the_version_loads_no_more_than_the_parser() -> None:
    """`--version` is what scripts ask; it needs no settings, no model and no daemon."""
    command = [sys.executable, "-X", "importtime", "-P", "-m", "codeassistd", "--version"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert set() == loaded & {"pydantic", "psutil", "lsprotocol", "numpy", "httpx", "tree_sitter", "llama_cpp"}


@pytest.mark.parametrize(
    ("encoding", "written"), [("latin-1", b"h\\u2192"), ("utf-8", "h\N{RIGHTWARDS ARROW}".encode())]
)
def test_a_letter_that_standard_output_lacks_is_written_as_an_escape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, written: bytes
) -> None:
    """A terminal of Latin-1, or a pipe on Windows, gets the rest of the answer all the same."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "h\N{RIGHTWARDS ARROW}"))
    monkeypatch.setenv("PYTHONIOENCODING", f"{encoding}:strict")
    command = [sys.executable, "-P", "-m", "codeassistd", "config", "path"]

    done = subprocess.run(command, capture_output=True, check=False)

    assert (0, b"") == (done.returncode, done.stderr)
    assert written in done.stdout

"""A command that the user typed: both streams in order, no input, and limits in time and size."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import psutil
import pytest

from codeassistd.cli.run_command import run_command
from codeassistd.errors import UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a unix shell")


def test_both_streams_and_the_exit_code(tmp_path: Path) -> None:
    """As the shell runs it, in the given folder."""
    (tmp_path / "here").touch()
    output = run_command("ls; echo broken >&2; cat; exit 3", tmp_path)
    assert ("here\nbroken\n", 3) == (output.text, output.exit_code)


def test_what_takes_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """Its exit code is not known; what it said is."""
    output = run_command("echo begun; sleep 600 & sleep 600", tmp_path, limit_s=0.5)
    assert output.exit_code is None
    assert output.text.startswith("begun\n")
    assert "[ended after 0.5 s, before it was done]" in output.text


def test_an_endless_output_is_bounded(tmp_path: Path) -> None:
    """Its beginning and its end are kept."""
    output = run_command("echo first; yes | head -c 20000000; echo last", tmp_path)
    assert output.text.startswith("first\n")
    assert output.text.endswith("last\n")
    assert len(output.text) < 4_000_000
    assert "KiB left out ...]" in output.text


def test_what_it_leaves_in_the_background_is_not_waited_for(tmp_path: Path) -> None:
    """It is ended too, since nobody would hear it."""
    output = run_command("sleep 600 & echo done", tmp_path)
    assert ("done\n", 0) == (output.text, output.exit_code)


@pytest.mark.skipif(shutil.which("setsid") is None, reason="there is no setsid to leave the session with")
def test_what_has_left_the_session_is_not_waited_for(tmp_path: Path) -> None:
    """A server that a script starts outlives it, and holds its output open for as long as it lives."""
    # The shell ends only once the other one has left.
    command = "mkfifo left; setsid sh -c 'echo $$ done >left; exec sleep 600' & cat left"
    output = run_command(command, tmp_path)
    pid, said = output.text.split()
    try:
        assert ("done", 0) == (said, output.exit_code)
        assert psutil.pid_exists(int(pid))
    finally:
        psutil.Process(int(pid)).kill()


def test_what_the_system_cannot_start_is_told(tmp_path: Path) -> None:
    """A command longer than any that it takes, and a folder that is gone."""
    with pytest.raises(UsageError, match="the command cannot be run: Argument list too long"):
        run_command("echo " + "x" * 3_000_000, tmp_path)
    with pytest.raises(UsageError, match="the command cannot be run: No such file or directory"):
        run_command("echo", tmp_path / "gone")

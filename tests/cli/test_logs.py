from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeassistd.cli.logs import LogTail
from codeassistd.paths import Paths


def test_only_what_is_new_comes(tmp_path: Path) -> None:
    """Following begins at the end of the log."""
    log = tmp_path / "daemon.log"
    log.write_text("old\n", encoding="utf-8")
    tail = LogTail(log)

    with log.open("a", encoding="utf-8") as file:
        file.write("größe\n")

    assert ["größe\n", ""] == [tail.added(), tail.added()]


def test_a_log_that_was_rotated_is_read_from_its_beginning(tmp_path: Path) -> None:
    """Rotation gives the name to a new, smaller file."""
    log = tmp_path / "daemon.log"
    log.write_text("a long first log\n", encoding="utf-8")
    tail = LogTail(log)

    log.rename(tmp_path / "daemon.log.1")
    gone = tail.added()
    log.write_text("new\n", encoding="utf-8")

    assert ["", "new\n"] == [gone, tail.added()]


def test_a_log_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    """`logs -f` may be started before the daemon."""
    tail = LogTail(tmp_path / "daemon.log")

    before = tail.added()
    (tmp_path / "daemon.log").write_text("first\n", encoding="utf-8")

    assert ["", "first\n"] == [before, tail.added()]


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a disk that is always full")
def test_a_full_disk_behind_standard_output_is_not_the_logs_fault(tmp_path: Path) -> None:
    """What is told is about the answer; nothing is wrong with the log."""
    log = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)}).log_file
    log.parent.mkdir(parents=True)
    log.write_text("one line\n" * 5000, encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "codeassistd", "logs", "-n", "5000"],
            env={**os.environ, "CODEASSISTD_HOME": str(tmp_path)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    expected = (
        "codeassistd: cannot write the answer, or a file of ours: No space left on device; "
        "make room, or send it elsewhere\n"
    )
    assert (1, expected) == (done.returncode, done.stderr)

"""The log: private, bounded, one JSON object per line, and without anybody's text."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codeassistd.config import LogSettings
from codeassistd.errors import EngineError
from codeassistd.log import Log

_ours = logging.getLogger("codeassistd.engine")
_foreign = logging.getLogger("pygls.protocol")


@contextmanager
def open_log(path: Path, **settings: Any) -> Iterator[Log]:
    log = Log(path, LogSettings(**settings))
    try:
        yield log
    finally:
        log.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log" / "daemon.log"


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_entry_is_one_json_object(path: Path) -> None:
    """Time, level, room and fields, one per line, also where a text has line ends."""
    with open_log(path):
        _ours.warning("step took %d ms\nand more", 5, extra={"n_tokens": 7})
    (entry,) = entries(path)
    assert entry.pop("timestamp").endswith("Z")
    expected = {"event": "step took 5 ms\nand more", "level": "warning", "logger": "codeassistd.engine", "n_tokens": 7}
    assert expected == entry


def test_levels(path: Path) -> None:
    """Ours from the level in the settings on; others' only from warnings on."""
    with open_log(path, level="debug"):
        _ours.debug("ours")
        _foreign.info("theirs")
    with open_log(path, level="error"):
        _ours.warning("too mild")
    assert ["ours"] == [entry["event"] for entry in entries(path)]


def test_source_text_stays_out(path: Path) -> None:
    """Text fields, arguments of foreign entries and messages of foreign exceptions are dropped."""
    with open_log(path):
        _ours.error("ours", extra={"prompt": "CANARY", "suggestion": "CANARY", "text": "CANARY"})
        _foreign.error("cannot handle %s", "CANARY")
        failure = EngineError("the step failed")
        failure.__cause__ = ValueError("CANARY")
        _ours.error("ours", exc_info=failure)
    assert "CANARY" not in path.read_text()
    first, second, third = entries(path)
    assert "prompt" not in first
    assert "cannot handle %s" == second["event"]
    lines = [line for line in third["exception"] if not line.startswith(" ")]
    assert ["EngineError: the step failed", "ValueError"] == lines


def test_prompts_can_be_asked_for(path: Path) -> None:
    """With `prompts` on everything is written: it is the user's own machine."""
    with open_log(path, prompts=True):
        _ours.error("ours", extra={"prompt": "CANARY 1"})
        _foreign.error("cannot handle %s", "CANARY 2")
    assert ["CANARY 1", "cannot handle CANARY 2"] == [entries(path)[0]["prompt"], entries(path)[1]["event"]]


def test_it_is_private_and_bounded_also_after_rotation(path: Path) -> None:
    """Folder 0700, every file 0600 under the widest umask; as many files and bytes as set, not more."""
    before = os.umask(0)
    try:
        with open_log(path, max_bytes=10_000, backups=2):
            for number in range(1000):
                _ours.warning("entry %d", number)
    finally:
        os.umask(before)
    files = sorted(path.parent.iterdir())
    assert ["daemon.log", "daemon.log.1", "daemon.log.2"] == [file.name for file in files]
    assert {0o600} == {stat.S_IMODE(file.stat().st_mode) for file in files}
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    assert max(file.stat().st_size for file in files) <= 10_000
    assert "entry 999" == entries(path)[-1]["event"]


def test_without_backups_it_is_still_bounded(path: Path) -> None:
    """Nothing kept means that the file begins anew, not that it grows."""
    with open_log(path, max_bytes=10_000, backups=0):
        for number in range(500):
            _ours.warning("entry %d", number)
    assert [path] == list(path.parent.iterdir())
    assert path.stat().st_size <= 10_000


def test_a_log_that_was_open_to_others_is_closed(path: Path) -> None:
    """A file left by something else gets our mode."""
    path.parent.mkdir()
    path.touch(mode=0o666)
    path.chmod(0o666)
    with open_log(path):
        pass
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_closing_leaves_the_process_as_it_was(path: Path) -> None:
    """Handlers and levels are taken back."""
    root = logging.getLogger()
    before = (root.level, list(root.handlers), logging.getLogger("codeassistd").level)
    with open_log(path):
        pass
    assert before == (root.level, list(root.handlers), logging.getLogger("codeassistd").level)


_PRINTS = """
import os, sys, logging
from pathlib import Path
from codeassistd.config import LogSettings
from codeassistd.log import Log
log = Log(Path(sys.argv[1]), LogSettings(max_bytes=10_000, backups=1))
log.take_standard_streams()
os.write(1, b"native 1\\n"); os.write(2, b"native 2\\n")
print("python", flush=True)
for number in range(400):
    os.write(2, b"native noise %d\\n" % number)
    logging.getLogger("codeassistd").warning("entry")
os.write(2, b"x" * 20_000)
log.trim()
os.write(2, b"the end\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ""])
def test_prints_land_in_the_log(path: Path, streams: str) -> None:
    """Whatever the process prints is in the log and counts for its bound, also where it began with closed streams."""
    script = path.parent.parent / "prints.py"
    script.write_text(_PRINTS)
    run = subprocess.run(
        ["sh", "-c", f'exec "$0" "$1" "$2" {streams}', sys.executable, script, path], capture_output=True, check=True
    )
    assert (b"", b"") == (run.stdout, run.stderr)
    assert "the end\n" == path.read_text()
    assert path.with_name("daemon.log.1").read_text().endswith("x" * 20_000)
    assert 2 == len(list(path.parent.iterdir()))


@pytest.mark.slow
def test_the_first_prints_are_kept(path: Path) -> None:
    """Native and Python prints stand in the order they came in, as they are."""
    script = path.parent.parent / "prints.py"
    script.write_text(_PRINTS.split("for number", maxsplit=1)[0])
    subprocess.run([sys.executable, script, path], check=True)
    assert "native 1\nnative 2\npython\n" == path.read_text()

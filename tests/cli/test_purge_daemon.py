"""`purge` beside a daemon: a real process with a scripted model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.cli import app
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths
from tests.support.waiting import SAFETY_S, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def process(home: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The daemon, ready."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": [], "default": ""}), encoding="utf-8")
    environ = {"CODEASSISTD_HOME": str(home), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen([sys.executable, "-P", "-m", "codeassistd.testing.serve", str(script)], env=environ) as child:
        try:
            wait_for(lambda: status() is not None, "the daemon")
            yield child
        finally:
            child.kill()
            child.wait(SAFETY_S)


def status() -> dict[str, object] | None:
    connection = Launcher(Paths.resolve()).connect(Kind.CONTROL)
    if connection is None:
        return None
    with ControlClient(connection) as client:
        return dict(client.call("status"))


def n_sessions() -> int:
    known = status()
    assert known is not None
    sessions = known["sessions"]
    assert isinstance(sessions, list)
    return len(sessions)


def test_the_daemon_is_ended_first_but_not_beside_an_editor(
    capsys: pytest.CaptureFixture[str], process: subprocess.Popen[bytes], home: Path
) -> None:
    """An editor would start the next one at once, which would write all anew; nothing is removed while it is there."""
    editor = Launcher(Paths.resolve()).connect(Kind.LSP)
    assert editor is not None
    wait_for(lambda: n_sessions() == 1, "the editor's session")
    assert 1 == app.run(["purge", "--yes"])
    assert "codeassistd: an editor would start the daemon again; close it" in capsys.readouterr().err
    assert (home / "state").is_dir()
    editor.close()
    wait_for(lambda: n_sessions() == 0, "the end of the session")
    assert 0 == app.run(["purge", "--yes"])
    assert 0 == process.wait(SAFETY_S)
    assert not home.exists()

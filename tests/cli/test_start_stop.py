"""Start and stop of a real daemon; it has no model, which is a state of it and not its end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Paths]:
    """A home of its own, and no daemon left behind."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    paths = Paths.resolve()
    yield paths
    stop_daemon(paths)


def run(*argv: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-m", "codeassistd", *argv]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_daemon_is_started_and_stopped() -> None:
    """`stop` waits for the end, so that a `start` may follow at once."""
    code, out, err = run("start", "--set", "daemon.idle_exit_s=60")
    pid = (out + err).partition("(process ")[2].partition(")")[0].partition(",")[0]

    assert 0 == code
    assert "the daemon is running (process " in out + err
    assert (0, f"the daemon has ended (process {pid})\n", "") == run("stop")
    assert 0 == run("start")[0]


def test_a_daemon_without_a_model_says_what_it_lacks(paths: Paths) -> None:
    """It is there, which is what was asked for; but nobody should have to find out later that it cannot do anything."""
    run("start", "--set", "daemon.idle_exit_s=60")
    wait_for(lambda: state(paths) == "error", "a daemon without a model")

    code, out, err = run("start")

    assert (0, "") == (code, out)
    assert err.startswith("codeassistd: the daemon was running already (process ")
    assert err.endswith("), but starter is not on this machine; get it with: codeassistd model pull starter\n")


def test_complete_without_a_model_says_how_to_get_one(tmp_path: Path) -> None:
    """It starts a daemon, which says what it lacks."""
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    expected = "codeassistd: starter is not on this machine; get it with: codeassistd model pull starter"

    code, out, err = run("complete", f"{tmp_path}/a.py:1:1")

    assert (1, "", expected) == (code, out, err.splitlines()[-1])


MANIFEST = """
name = "tiny"
title = "Tiny"
context_length = 512
source = { kind = "local", path = "tiny.gguf" }
licence = { name = "MIT", url = "https://example.org" }
profile = { order = "prefix" }
"""


def state(paths: Paths) -> str:
    with ControlClient.connect(Launcher(paths)) as daemon:
        return str(daemon.call("status")["state"])


def test_a_daemon_that_waits_for_its_model_loads_it_once_it_is_pulled(paths: Paths) -> None:
    """It was started before there was a model, as editors do; nobody has to start it again."""
    folder = paths.config_dir / "models"
    folder.mkdir(parents=True)
    (folder / "tiny.toml").write_text(MANIFEST, encoding="utf-8")
    paths.config_file.write_text("[model]\nname = 'tiny'\nn_ctx = 512\n", encoding="utf-8")
    run("start", "--set", "daemon.idle_exit_s=60")
    wait_for(lambda: state(paths) == "error", "a daemon without a model")
    write_tiny_model(folder / "tiny.gguf")

    code, out, err = run("model", "pull", "tiny")

    assert (0, f"{folder / 'tiny.gguf'}\n") == (code, out)
    assert "the running daemon loads it now; `codeassistd status` shows how far it is\n" == err
    wait_for(lambda: state(paths) == "ready", "the model")
    assert "" == run("model", "pull", "tiny")[2]

    with ControlClient.connect(Launcher(paths)) as daemon:
        model = daemon.call("status")["model"]
    assert ("tiny", "tiny") == (model["asked"]["model"], model["effective"]["model"])
    events = [json.loads(line)["event"] for line in paths.log_file.read_text("utf-8").splitlines()]
    assert "the model was not loaded: the file of tiny is not at" in events[1]
    assert f"trying {folder / 'tiny.gguf'} in a process of its own before its first load" == events[2]
    assert f"loaded tiny from {folder / 'tiny.gguf'}" == events[3]

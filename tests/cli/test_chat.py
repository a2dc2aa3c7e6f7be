"""The verb `chat`: one question through a pipe, the terminal with its keys, and what is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeassistd.cli import app
from codeassistd.paths import Paths
from tests.support.editor_days import STORY, STORY_SETTINGS
from tests.support.processes import Home
from tests.support.waiting import SAFETY_S, wait_for

pty = pytest.importorskip("pty", reason="no terminals to play on this system")
pytestmark = pytest.mark.slow

SCRIPT: dict[str, Any] = {
    "rules": [{"matches": "a long story\n\nAssistant:\n$", "answer": STORY}],
    "default": "Use a set.",
    "n_ctx": 16384,
}
CHAT = [sys.executable, "-P", "-m", "codeassistd", "chat"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A daemon with a scripted model, and a workspace to stand in."""
    made = Home(tmp_path / "home")
    made.root.mkdir()
    workspace = tmp_path / "shop"
    workspace.mkdir()
    (workspace / ".codeassistd.toml").write_text("", encoding="utf-8")
    (workspace / "cart.py").write_text("def total(items):\n    return sum(items)\n", encoding="utf-8")
    (workspace / ".env").write_text("KEY=1\n", encoding="utf-8")
    monkeypatch.setenv("CODEASSISTD_HOME", str(made.root))
    monkeypatch.chdir(workspace)
    yield made
    made.close()


def piped(question: str, *options: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [*CHAT, *options], input=question, capture_output=True, text=True, timeout=SAFETY_S, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_one_question_through_a_pipe(home: Home) -> None:
    """The answer alone on standard output, what the model was shown on the other."""
    home.start_daemon(SCRIPT)
    code, out, err = piped("How do I drop duplicates?", "--file", "cart.py", "--run", "echo built it")
    assert (0, "Use a set.\n") == (code, out)
    assert "cart.py: " in err
    assert "output of `echo built it` (exit code 0): " in err
    report = json.loads(piped("And in order?", "--json")[1])
    assert ("chat", 2, "Use a set.", "stop") == (
        report["command"],
        report["effective"]["turn"],
        report["figures"]["text"],
        report["figures"]["ended"],
    )


def test_a_question_with_bytes_that_are_no_text_is_asked(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log in another encoding, as in `make 2>&1 | codeassistd chat`: those bytes are shown as U+FFFD."""
    home.start_daemon(SCRIPT)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
    done = subprocess.run(CHAT, input=b"Why this? caf\xe9", capture_output=True, timeout=SAFETY_S, check=False)
    assert (0, b"Use a set.\n") == (done.returncode, done.stdout)
    said = subprocess.run([*CHAT, "export", "--json"], capture_output=True, timeout=SAFETY_S, check=True)
    assert ["Why this? caf\N{REPLACEMENT CHARACTER}"] == [turn["asked"] for turn in json.loads(said.stdout)["rows"]]


def test_a_question_that_was_refused_or_failed_keeps_nobody_from_asking(home: Home) -> None:
    """What is too long says nothing about the model, and after a fault of the model the next question may go well."""
    failing = {"matches": "this fails\n\nAssistant:\n$", "failure": "the step failed"}
    home.start_daemon({**SCRIPT, "rules": [failing]})
    code, _, err = piped("x" * 9000)
    assert (2, True) == (code, "the question has " in err)
    assert (0, "Use a set.\n") == piped("How do I drop duplicates?")[:2]
    code, out, err = piped("this fails")
    assert (1, "", "codeassistd: the step failed") == (code, out, err.strip())
    assert (0, "Use a set.\n") == piped("And in order?")[:2]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--file", "none.py"], "there is no file none.py"),
        (["--file", ".env"], ".env is not shown: by its name it may hold secrets"),
        (["--file", "."], ". is a folder; name a file"),
    ],
)
def test_files_that_cannot_be_shown_are_refused(home: Home, options: list[str], problem: str) -> None:
    """In one line, before anything is asked."""
    del home
    code, out, err = piped("Why?", *options)
    assert (2, "", f"codeassistd: {problem}\n") == (code, out, err)


def test_conversations_are_listed_exported_and_forgotten(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of this workspace, while a daemon runs and without one."""
    daemon = home.start_daemon(SCRIPT)
    piped("How do I drop duplicates?", "--session", "first")
    piped("And in order?", "--session", "second", "--run", "seq 1 9; for i in a b c; do seq 1 40 | sed s/$/$i/; done")
    assert 0 == app.run(["chat", "list", "--json"])
    listed = json.loads(capsys.readouterr().out)["rows"]
    assert [("second", 1), ("first", 1)] == [(row["session"], row["n_turns"]) for row in listed]
    assert 0 == app.run(["chat", "export", "--session", "first"])
    assert "How do I drop duplicates?\n\n\nUse a set." in capsys.readouterr().out
    assert 0 == app.run(["chat", "output", "--session", "second"])
    assert "\n40c\n" in capsys.readouterr().out
    assert 0 == app.run(["chat", "delete", "first"])
    assert 2 == app.run(["chat", "delete", "first"])
    assert "there is no conversation first in this workspace" in capsys.readouterr().err
    home.call("stop")
    daemon.wait(SAFETY_S)
    saved = Paths.resolve().kv_dir
    assert 1 == len(list(saved.iterdir()))
    assert 2 == app.run(["chat", "purge"])
    assert 0 == app.run(["chat", "purge", "--yes"])
    assert "forgot 1 conversation\n" == capsys.readouterr().out
    assert [] == list(saved.iterdir())
    assert 0 == app.run(["chat", "list", "--json"])
    assert [] == json.loads(capsys.readouterr().out)["rows"]


def test_ctrl_c_stops_the_answer_and_not_the_program(home: Home) -> None:
    """Ctrl-D ends it; what was said until then is kept."""
    home.environ |= STORY_SETTINGS
    home.start_daemon({**SCRIPT, "step_s": 0.01})
    ours, theirs = pty.openpty()
    with subprocess.Popen(CHAT, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        screen = _Screen(ours)
        screen.wait("> ")
        screen.type("a long story\n")
        screen.wait("Once upon")
        os.kill(process.pid, signal.SIGINT)
        screen.wait("(stopped)")
        screen.type("and now?\n")
        screen.wait("Use a set.")
        screen.type("/nonsense\n")
        screen.wait("there is no command /nonsense")
        screen.type("/run sleep 0.2; echo built\n")
        screen.wait("running sleep 0.2; echo built")
        screen.wait("exit code 0, 1 line;")
        screen.type("\x04")
        assert 0 == process.wait(SAFETY_S)
    os.close(theirs)
    os.close(ours)
    said = subprocess.run([*CHAT, "export", "--json"], capture_output=True, text=True, check=True)
    turns = json.loads(said.stdout)["rows"]
    assert ["a long story", "and now?"] == [turn["asked"] for turn in turns]
    assert turns[0]["said"].startswith("Once upon")
    assert "Use a set." == turns[1]["said"]


class _Screen:
    """What a program writes to a terminal, and keys for it."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._seen = ""
        os.set_blocking(terminal, False)

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def wait(self, text: str) -> None:
        """Until `text` was written since the last wait."""
        wait_for(lambda: text in self._read(), f"{text!r} on the terminal")
        self._seen = self._seen.partition(text)[2]

    def _read(self) -> str:
        try:
            self._seen += os.read(self._terminal, 65_536).decode("utf-8", "replace")
        except BlockingIOError:
            return self._seen
        return self._seen

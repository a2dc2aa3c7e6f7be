"""Verbs that remove for good ask first: what comes of each answer."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from codeassistd.cli import app
from codeassistd.paths import Paths


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file, and somebody in front of a terminal."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("codeassistd.cli.purge.is_conversation", lambda: True)
    monkeypatch.setattr("codeassistd.cli.chat_kept.is_conversation", lambda: True)
    file = Paths.resolve().config_file
    file.parent.mkdir(parents=True)
    file.write_text("", encoding="utf-8")
    return file


@pytest.fixture(params=["n\n", "\n"])
def _refusal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user says no, or presses Enter alone."""
    monkeypatch.setattr("sys.stdin", io.StringIO(request.param))


@pytest.mark.usefixtures("_refusal")
@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("purge", "remove all that? [y/N]: nothing was removed\n"),
        ("chat purge", "forget all conversations of this workspace? [y/N]: nothing was forgotten\n"),
        ("chat purge --all", "forget all conversations there are? [y/N]: nothing was forgotten\n"),
    ],
)
def test_without_agreement_nothing_goes_and_that_is_told(
    capsys: pytest.CaptureFixture[str], kept: Path, verb: str, told: str
) -> None:
    """Exit code 1, so that what is chained to it does not run; the question is no part of the answer."""
    assert 1 == app.run(verb.split())
    captured = capsys.readouterr()
    # The blank behind the question is the keyboard's echo, wherever that goes.
    assert told == captured.err.replace("]:nothing", "]: nothing")
    assert "[y/N]" not in captured.out
    assert kept.exists()


@pytest.mark.parametrize("verb", ["purge", "chat purge"])
def test_no_answer_at_all_is_an_interruption(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kept: Path, verb: str
) -> None:
    """As by Ctrl-D or Ctrl-C, which every other verb ends by, too."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert 130 == app.run(verb.split())
    assert "nothing was" not in capsys.readouterr().err
    assert kept.exists()


def test_agreement_is_enough(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is left of what was listed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert 0 == app.run(["purge"])
    assert "removed, 0 MB freed; now uninstall the program" in capsys.readouterr().out
    assert not (tmp_path / "home").exists()


def test_what_could_not_be_removed_is_told_and_nobody_is_sent_to_uninstall(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that is gone could not be asked to try again."""
    monkeypatch.setattr("codeassistd.cli.purge.remove", lambda removals: [f"{len(removals)} is in the way"])
    assert 1 == app.run(["purge", "--yes"])
    captured = capsys.readouterr()
    assert "not all was removed" == captured.out.splitlines()[-1]
    assert "codeassistd: 1 is in the way\n" == captured.err

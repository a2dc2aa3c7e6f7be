from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.cli import app


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["typing", "--keys", "0"], "--keys"),
        (["typing", "--keys", "many"], "--keys"),
        (["typing", "--interval", "-1"], "--interval"),
        (["typing", "--editor", "emacs"], "--editor"),
        (["typing", "--daemon", "mine"], "--daemon"),
        (["typing", "--set", "model.wheels=4"], "model.wheels"),
        (["typing", "--daemon", "running", "--set", "model.threads=1"], "--set is for a daemon of its own"),
        (["typing", "nowhere.py"], "there is no file nowhere.py"),
        (["index"], "PATH"),
        (["index", "nowhere"], "nowhere is not a folder; give the root of a workspace"),
        (["index", ".", "--pairs", "0"], "--pairs"),
        (["walking"], "walking"),
    ],
)
def test_a_wrong_flag_is_one_line_and_exit_code_2(
    argv: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before anything is started."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))

    code = app.run(["bench", *argv])
    out, err = capsys.readouterr()

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert said in err


def test_a_short_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures of another number of keys would not be those that were asked for."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    (tmp_path / "a.py").write_text("x = 1\n")

    assert 2 == app.run(["bench", "typing", str(tmp_path / "a.py")])
    assert "is too short to type 50 keys in it" in capsys.readouterr().err

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.cli import app


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and a workspace with settings; the current folder is deep in it."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    root = tmp_path / "workspace"
    (root / "src" / "deep").mkdir(parents=True)
    (root / ".codeassistd.toml").write_text("[completion]\nmax_lines = 6\n", encoding="utf-8")
    monkeypatch.chdir(root / "src" / "deep")
    return root


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(("config", "show", *argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def origin(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Where `completion.max_lines` comes from, after its value."""
    code, out, _ = run(capsys, *argv)
    assert 0 == code
    return next(line for line in out.splitlines() if line.startswith("completion.max_lines")).split(maxsplit=1)[1]


def test_the_workspace_of_the_current_folder_counts(capsys: pytest.CaptureFixture[str], workspace: Path) -> None:
    """What an editor in this folder would get, and which workspace that is."""
    file = workspace / ".codeassistd.toml"

    assert ["6", str(file)] == origin(capsys).split()
    assert f"as in the workspace {workspace}: its .codeassistd.toml counts\n" == run(capsys)[2]


def test_another_one_can_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """By its root; the one here does not count then."""
    other = tmp_path / "other"
    other.mkdir()

    assert ["12", "default"] == origin(capsys, "--workspace", str(other)).split()
    expected = f"as in the workspace {other}: its .codeassistd.toml would count, but there is none\n"
    assert expected == run(capsys, "--workspace", str(other))[2]


def test_a_repository_is_a_workspace_too(capsys: pytest.CaptureFixture[str], workspace: Path) -> None:
    """The nearest mark above decides: here a repository inside of the workspace."""
    (workspace / "src" / ".git").mkdir()

    assert ["12", "default"] == origin(capsys).split()


def test_programs_get_the_workspace_as_a_figure(capsys: pytest.CaptureFixture[str], workspace: Path) -> None:
    """And nothing beside the object."""
    code, out, err = run(capsys, "--json")

    assert (0, "") == (code, err)
    assert {"workspace": str(workspace)} == json.loads(out)["figures"]

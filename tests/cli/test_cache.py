"""`codeassistd cache clear`."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.cli.app import run


def test_all_kept_prompts_go_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It tells how much that was, and a second time that there was nothing."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    folder = tmp_path / "cache" / "kv"
    folder.mkdir(parents=True)
    (folder / "a.kv").write_bytes(b"1" * 1_500_000)
    (folder / "b.part").write_bytes(b"1")
    (folder / "notes.txt").write_bytes(b"1")
    assert 0 == run(["cache", "clear"])
    assert f"removed 2 files (1.5 MB) from {folder}\n" == capsys.readouterr().out
    assert ["notes.txt"] == [path.name for path in folder.iterdir()]
    assert 0 == run(["cache", "clear"])
    assert f"removed 0 files (0.0 MB) from {folder}\n" == capsys.readouterr().out


def test_without_a_folder_there_is_nothing_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first daemon has stopped."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    assert 0 == run(["cache", "clear"])

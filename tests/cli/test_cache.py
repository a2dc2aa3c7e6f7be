"""`codeassistd cache clear`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.cli.app import run
from codeassistd.completion.semantic.store import SemanticStore


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
    assert f"removed 2 files (1.5 MB) from {tmp_path / 'cache'}\n" == capsys.readouterr().out
    assert ["notes.txt"] == [path.name for path in folder.iterdir()]
    assert 0 == run(["cache", "clear"])
    assert f"removed 0 files (0.0 MB) from {tmp_path / 'cache'}\n" == capsys.readouterr().out


def test_all_kept_answers_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They hold source text, so nothing of them is left."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    folder = tmp_path / "cache" / "semantic"
    with closing(SemanticStore.open(folder, 1 << 20)) as store:
        store.put(b"key", b"canary " * 100)
    assert 0 == run(["cache", "clear"])
    assert "removed 1 file (0.0 MB)" in capsys.readouterr().out
    assert [] == list(folder.iterdir())


def test_without_a_folder_there_is_nothing_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first daemon has stopped."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    assert 0 == run(["cache", "clear"])

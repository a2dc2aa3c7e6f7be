"""The whole of `bench index` on a tiny workspace: real workers, no look at speed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.bench.index.run import INDEX_GOALS
from codeassistd.cli import app
from tests.support.indexing import write

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a daemon."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_every_figure_is_there_and_nothing_is_left_behind(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each goal has its figure; neither the workspace nor the home of the user is written to."""
    root = tmp_path / "work"
    write(
        root, {"a.py": "def alpha():\n    return 1\n", "b/c.go": "package b\n\nfunc Beta() {}\n", "readme.txt": "x\n"}
    )

    code = app.run(["bench", "index", str(root), "--pairs", "2", "--json"])
    report = json.loads(capsys.readouterr().out)

    assert 0 == code
    figures = report["figures"]
    assert set(INDEX_GOALS) <= set(figures)
    assert set(report["effective"]["reached"]) == set(INDEX_GOALS)
    assert (2, 2, 5, 0) == (figures["n_files"], figures["n_symbols"], figures["n_lines"], figures["noop_n_parsed"])
    assert all(figures[name] > 0 for name in ("cold_vs_parse", "edit_ms_p99", "peak_bytes", "files_per_s"))
    assert all(figures[name] > 0 for name in ("cold_vs_parse_processor", "edit_parse_processor_ms_p99"))
    assert 2 == len(report["rows"])
    assert ["a.py", "b", "readme.txt"] == sorted(path.name for path in root.iterdir())
    assert not (home / "state" / "index").exists()


def test_a_folder_without_source_is_one_line(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to measure."""
    del home
    (tmp_path / "empty").mkdir()

    code = app.run(["bench", "index", str(tmp_path / "empty")])

    assert 2 == code
    assert "has no files to index; give the root of a workspace" in capsys.readouterr().err

"""Case 50: deleted and renamed files live on; unchanged ones are read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import git, repository, running, write

pytestmark = pytest.mark.slow

BEFORE: dict[str, str | bytes] = {
    "a.py": "def kept(): ...\n",
    "c.py": "def old(): ...\n\n\ndef stays(): ...\n",
    "d.py": "def gone(): ...\n",
}
AFTER = {"b.py": ["kept"], "c.py": ["stays"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that tracks all its files, and one that is missing on disk."""
    path = repository(tmp_path / "root")
    write(path, {**BEFORE, "missing.py": "def never(): ...\n"})
    git(path, "add", ".")
    (path / "missing.py").unlink()
    return path


def change(root: Path) -> None:
    """Rename a.py, delete a function of c.py, delete d.py."""
    (root / "a.py").rename(root / "b.py")
    write(root, {"c.py": "def stays(): ...\n"})
    (root / "d.py").unlink()


def test_changes_are_seen_while_running(root: Path, tmp_path: Path) -> None:
    """With the system's events, after it settles no row of the old state is left."""
    with running(tmp_path / "home", root, watch="auto") as run:
        assert {"a.py": ["kept"], "c.py": ["old", "stays"], "d.py": ["gone"]} == run.rows()
        change(root)
        run.wait_until(lambda: run.rows() == AFTER)
        assert [] == run.indexer.lookup.definitions(root, ["old", "gone"], None)


def test_changes_are_seen_at_the_next_start(root: Path, tmp_path: Path) -> None:
    """What happened while it was stopped is found by the first comparison."""
    with running(tmp_path / "home", root):
        pass
    change(root)
    with running(tmp_path / "home", root) as run:
        assert AFTER == run.rows()
        assert 2 == run.workspace().n_parsed


def test_nothing_is_read_again_without_a_change(root: Path, tmp_path: Path) -> None:
    """The second start parses no file, and neither does a comparison in between."""
    with running(tmp_path / "home", root) as run:
        assert 3 == run.workspace().n_parsed
        run.indexer.refresh(root)
        run.settle()
        assert 3 == run.workspace().n_parsed
    with running(tmp_path / "home", root) as run:
        assert (0, 3, "ready") == (run.workspace().n_parsed, run.workspace().n_done, run.workspace().phase.value)

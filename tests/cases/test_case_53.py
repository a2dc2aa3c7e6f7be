"""Case 53: links that lead back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import git, repository, running, write


@pytest.mark.slow
@pytest.mark.parametrize("in_git", [True, False])
def test_each_real_file_has_one_row(tmp_path: Path, in_git: bool) -> None:  # noqa: FBT001 - a table's column
    """A link to a parent, a broken one and one that leads out: the scan ends, nothing outside is read, no error."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, {"top.py": "def top(): ...\n", "pkg/inner.py": "def inner(): ...\n"})
    write(outside, {"foreign.py": "def foreign(): ...\n"})
    (root / "pkg" / "loop").symlink_to(root)
    (root / "pkg" / "self.py").symlink_to("self.py")
    (root / "broken.py").symlink_to("nowhere.py")
    (root / "out").symlink_to(outside)
    (root / "out.py").symlink_to(outside / "foreign.py")
    (root / "twice.py").symlink_to("top.py")
    if in_git:
        repository(root)
        git(root, "add", ".")
    with running(tmp_path / "home", root, watch="auto") as run:
        assert {"top.py": ["top"], "pkg/inner.py": ["inner"]} == run.rows()
        assert ("", {"indexed": 2}) == (run.indexer.status().problem, run.workspace().verdicts)
        assert [] == run.indexer.lookup.definitions(root, ["foreign"], None)

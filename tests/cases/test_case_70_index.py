"""Case 70: one project's text in another (the index's half)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import git, repository, running, write


@pytest.mark.slow
def test_workspaces_and_work_trees_are_kept_apart(tmp_path: Path) -> None:
    """What A defines is never found from B, also where B is a second work tree of A; closing A drops its data."""
    a, b, other = tmp_path / "a", tmp_path / "a" / "trees" / "b", tmp_path / "other"
    write(repository(a), {"canary.py": "def canary(): ...\n", "shared.py": "def shared(): ...\n"})
    git(a, "add", "shared.py")
    git(a, "commit", "-qm", "first")
    git(a, "worktree", "add", "-q", str(b), "-b", "second")
    write(other, {"o.py": "def own(): ...\n"})
    with running(tmp_path / "home", a, b, other) as run:
        lookup = run.indexer.lookup
        assert ["canary.py"] == [found.relative for found in lookup.definitions(a, ["canary"], None)]
        for root in (b, other):
            for _ in range(50):
                assert [] == lookup.definitions(root, ["canary"], a / "canary.py")
        assert [a / "shared.py"] == [found.path for found in lookup.definitions(a, ["shared"], None)]
        assert [b / "shared.py"] == [found.path for found in lookup.definitions(b, ["shared"], None)]
        run.indexer.remove_workspace(a)
        run.settle()
        assert [] == lookup.definitions(a, ["canary"], None)
        assert [b, other] == [workspace.root for workspace in run.indexer.status().workspaces]

"""Case 70: one project's text in another (the index's half)."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.syntax.extract import extract
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
            assert [] == lookup.search(root, ["canary"], a / "canary.py", 8)
            assert {"canary": 0} == lookup.frequencies(root, ["canary"])
        assert [a / "shared.py"] == [found.path for found in lookup.definitions(a, ["shared"], None)]
        assert [b / "shared.py"] == [found.path for found in lookup.definitions(b, ["shared"], None)]
        run.indexer.remove_workspace(a)
        run.settle()
        assert [] == lookup.definitions(a, ["canary"], None)
        assert [] == lookup.search(a, ["canary"], None, 8)
        assert [b, other] == [workspace.root for workspace in run.indexer.status().workspaces]


@pytest.mark.slow
def test_unsaved_text_of_one_workspace_is_not_found_from_another(tmp_path: Path) -> None:
    """Also where one editor has both open, and where a folder lies inside the other's as a work tree of its own."""
    a, b = tmp_path / "a", tmp_path / "a" / "trees" / "b"
    write(repository(a), {"shared.py": "def shared(): ...\n"})
    git(a, "add", "shared.py")
    git(a, "commit", "-qm", "first")
    git(a, "worktree", "add", "-q", str(b), "-b", "second")
    text = b"def canary(): ...\n"
    with running(tmp_path / "home", a, b) as run:
        run.indexer.overlay.put("s1", b / "shared.py", text, extract("python", text))
        lookup = run.indexer.lookup.seen_by("s1")
        assert [b / "shared.py"] == [found.path for found in lookup.definitions(b, ["canary"], None)]
        for _ in range(50):
            assert [] == lookup.definitions(a, ["canary"], b / "shared.py")
        assert [] == lookup.search(a, ["canary"], None, 8)
        assert {"canary": 0} == lookup.frequencies(a, ["canary"])
        assert [a / "shared.py"] == [found.path for found in lookup.definitions(a, ["shared"], None)]
        run.indexer.overlay.drop_client("s1")
        assert [] == lookup.definitions(b, ["canary"], None)

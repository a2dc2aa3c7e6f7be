"""Case 47: one file that never ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.indexing import running, write


@pytest.mark.slow
def test_endless_files_are_cut_and_the_rest_is_indexed(tmp_path: Path) -> None:
    """Three endless files among 500: each is cut at the limit and listed; lookups are answered meanwhile."""
    root = tmp_path / "root"
    write(root, {f"m{n}.py": f"def f{n}(): ...\n" for n in range(500)})
    write(root, {f"endless{n}.py": "HANG = 1\n" for n in range(3)})
    # Newest first: one good file, then the endless ones, then all others.
    os.utime(root / "m0.py", (4e9, 4e9))
    for n in range(3):
        os.utime(root / f"endless{n}.py", (3e9, 3e9))
    parts = {"extractor": "tests.support.extractors:hanging"}
    with running(tmp_path / "home", parts=parts, parse_timeout_s=1.0) as run:
        run.indexer.add_workspace(root)
        run.wait_until(lambda: any(each.verdicts.get("indexed") for each in run.indexer.status().workspaces))
        assert run.workspace().n_done < 501
        assert ["m0.py"] == [found.relative for found in run.indexer.lookup.definitions(root, ["f0"], None)]
        run.settle()
        assert {"indexed": 500, "failed: took longer than 1 s": 3} == run.workspace().verdicts
        assert "ready" == run.workspace().phase.value
    with running(tmp_path / "home", root, parts=parts, parse_timeout_s=1.0) as run:
        assert 0 == run.workspace().n_parsed

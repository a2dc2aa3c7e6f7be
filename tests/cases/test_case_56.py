"""Case 56: new and moved folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import repository, running, write


@pytest.mark.slow
def test_new_and_moved_folders_are_followed(tmp_path: Path) -> None:
    """Twenty files in one burst of nested folders are found; after a move, rows stand under the new name only."""
    root = repository(tmp_path / "root")
    with running(tmp_path / "home", root, watch="auto") as run:
        write(root, {f"a/b/m{n}.py": f"def f{n}(): ...\n" for n in range(20)})
        run.wait_until(lambda: run.rows() == {f"a/b/m{n}.py": [f"f{n}"] for n in range(20)})
        (root / "a" / "b").rename(root / "a" / "c")
        write(root, {"a/c/m0.py": "def edited(): ...\n"})
        (root / "a" / "c" / "m1.py").unlink()
        expected = {f"a/c/m{n}.py": [f"f{n}"] for n in range(2, 20)} | {"a/c/m0.py": ["edited"]}
        run.wait_until(lambda: run.rows() == expected)
        write(root, {"a/c/m2.py": "def later(): ...\n"})
        run.wait_until(lambda: run.rows() == expected | {"a/c/m2.py": ["later"]})

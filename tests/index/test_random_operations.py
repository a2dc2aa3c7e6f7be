"""Whatever is done to the files, the rows end up as those of a fresh index."""

from __future__ import annotations

import os
import random
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.index.store import Store
from tests.support.indexing import repository, rows, running, write

_FOLDERS = ("", "pkg/", "pkg/deep/", "lib/")
_CONTENTS = (
    b"def one(): ...\n",
    b"class Two:\n    def three(self): ...\n",
    "añadir = 1\n".encode("latin-1"),
    b"\x00\x01\x02",
    b"x" * 3000,
    b"",
    b"\xef\xbb\xbfdef marked(): ...\n",
)


def _operate(rng: random.Random, root: Path) -> None:
    """One random change of the tree."""
    files = sorted(path for path in root.rglob("*.py") if ".git" not in path.parts)
    name = f"{rng.choice(_FOLDERS)}m{rng.randrange(6)}.py"
    match rng.randrange(8):
        case 0 | 1 | 2:
            write(root, {name: rng.choice(_CONTENTS)})
        case 3 if files:
            rng.choice(files).unlink()
        case 4 if files:
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            rng.choice(files).replace(target)
        case 5:
            shutil.rmtree(root / rng.choice(_FOLDERS[1:]), ignore_errors=True)
        case 6:
            write(root, {".gitignore": rng.choice(["", "m1.py\n", "/lib/\n", "pkg/*\n!pkg/m2.py\n"])})
        case _ if files:
            os.utime(rng.choice(files))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_rows_equal_a_fresh_index(tmp_path: Path, seed: int) -> None:
    """After each round of random changes, some told and some not, the rows equal those of a new store."""
    rng = random.Random(seed)
    root = repository(tmp_path / "root")
    with running(tmp_path / "home", root, max_file_bytes=2000) as run:
        for step in range(6):
            for _ in range(rng.randrange(1, 8)):
                _operate(rng, root)
                if rng.random() < 0.3:
                    run.indexer.file_changed(root / f"{rng.choice(_FOLDERS)}m{rng.randrange(6)}.py")
            run.indexer.refresh(root)
            run.settle()
            with running(tmp_path / f"fresh{step}", root, max_file_bytes=2000) as fresh:
                assert fresh.rows() == run.rows()
                assert fresh.workspace().verdicts == run.workspace().verdicts
    with closing(Store.open(run.store)) as store:
        assert [] == store.check_integrity()
    assert fresh.store != run.store
    assert rows(fresh.store) == rows(run.store)

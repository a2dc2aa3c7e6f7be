"""Case 30: huge and minified files (the index's half)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import running, write


@pytest.mark.slow
def test_they_are_not_parsed_and_counted_with_the_reason(tmp_path: Path) -> None:
    """1.5 MB on one line, and a small file with one long line: skipped, said why, and the rest is indexed."""
    root = tmp_path / "root"
    write(root, {"huge.js": "x=1;" * 400_000, "min.js": f"f('{'x' * 20_000}')\n", "a.js": "function one() {}\n"})
    with running(tmp_path / "home", root) as run:
        assert {"a.js": ["one"], "huge.js": [], "min.js": []} == run.rows()
        assert {
            "indexed": 1,
            "skipped: larger than 1048576 bytes": 1,
            "skipped: a line is longer than 10000 bytes": 1,
        } == run.workspace().verdicts
    with running(tmp_path / "home", root, max_line_bytes=100_000) as run:
        assert 1 == run.workspace().n_parsed
        assert 2 == run.workspace().verdicts["indexed"]

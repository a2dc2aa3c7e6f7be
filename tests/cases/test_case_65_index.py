"""Case 65: secret files (the index's half: in no row)."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.syntax.extract import extract
from tests.support.indexing import git, repository, running, write

CANARY = "CANARY_7f3a"
SECRETS = (
    ".env",
    ".env.local",
    ".Renviron",
    "secrets.yml",
    "id_rsa",
    "x.pem",
    ".env.py",
    ".ssh/config.py",
    "deep/.aws/keys.py",
)


@pytest.mark.slow
@pytest.mark.parametrize("in_git", [True, False])
def test_no_secret_reaches_a_row(tmp_path: Path, in_git: bool) -> None:  # noqa: FBT001 - a table's column
    """Tracked or not, told of or not: no byte of the store knows the canary; a file about environments is indexed."""
    root = tmp_path / "root"
    write(root, dict.fromkeys(SECRETS, f"{CANARY} = '{CANARY}'\n"))
    write(root, {"environment.py": "def load(): ...\n", "secrets.py": "def token(): ...\n"})
    if in_git:
        repository(root)
        git(root, "add", "-f", ".")
    with running(tmp_path / "home", root, watch="auto") as run:
        for name in SECRETS:
            run.indexer.file_changed(root / name)
        run.settle()
        assert {"environment.py": ["load"], "secrets.py": ["token"]} == run.rows()
        assert [] == run.indexer.lookup.definitions(root, [CANARY], None)
        assert [] == run.indexer.lookup.search(root, [CANARY], None, 8)
        for file in run.store.parent.iterdir():
            # Words that can be searched for are stored in one case.
            assert CANARY.lower().encode() not in file.read_bytes().lower()


@pytest.mark.slow
@pytest.mark.parametrize("in_git", [True, False])
def test_no_open_secret_is_found(tmp_path: Path, in_git: bool) -> None:  # noqa: FBT001 - a table's column
    """Secret files that are open in tabs count for no question, however they are read; the file beside them does."""
    root = tmp_path / "root"
    write(root, {**dict.fromkeys(SECRETS, ""), "environment.py": ""})
    if in_git:
        repository(root)
        git(root, "add", "-f", ".")
    text = f"def {CANARY}():\n    return {CANARY}\n".encode()
    with running(tmp_path / "home", root) as run:
        lookup = run.indexer.lookup.seen_by("s1")
        for name in SECRETS:
            run.indexer.overlay.put("s1", root / name, text, extract("python", text))
        for asking in (None, root / "environment.py", root / ".env.py"):
            assert [] == lookup.definitions(root, [CANARY], asking)
            assert [] == lookup.search(root, [CANARY], asking, 8)
        assert {CANARY: 0} == lookup.frequencies(root, [CANARY])
        run.indexer.overlay.put("s1", root / "environment.py", text, extract("python", text))
        assert ["environment.py"] == [found.relative for found in lookup.definitions(root, [CANARY], None)]
        assert ["environment.py"] == [found.relative for found in lookup.search(root, [CANARY], None, 8)]

"""Case 63: ignore rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import git, repository, running, write

pytestmark = pytest.mark.slow

TREE: dict[str, str | bytes] = {
    ".gitignore": "/build/\n*.gen.py\n!important.gen.py\nlogs/**\n!logs/keep/\n",
    "app.py": "",
    "x.gen.py": "",
    "important.gen.py": "",
    "build/out.py": "",
    "src/build/in.py": "",
    "src/.gitignore": "/private.py\n!x.gen.py\n",
    "src/private.py": "",
    "src/x.gen.py": "",
    "src/deep/private.py": "",
    "src/deep/.gitignore": "*.py\n!shown.py\n",
    "src/deep/shown.py": "",
    "src/page.js": "",
    "src/readme.md": "",
    "excluded.py": "",
    ".git/info/exclude": "excluded.py\n",
    "logs/a.py": "",
    "tracked.gen.py": "",
}
CHILD: dict[str, str | bytes] = {".gitignore": "own.py\n", "own.py": "", "child.py": "", "y.gen.py": ""}


def listed(folder: Path, prefix: str = "") -> set[str]:
    """Git's own list of a repository, cut to the languages of this test."""
    names = git(folder, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    return {prefix + name for name in names if name.endswith((".py", ".js"))}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with rules at several levels, a tracked file that a rule matches, and a child repository."""
    path = repository(tmp_path / "root")
    write(path, TREE)
    git(path, "add", "-f", "tracked.gen.py", "app.py")
    write(repository(path / "lib"), CHILD)
    git(path / "lib", "add", "child.py")
    git(path / "lib", "commit", "-qm", "first")
    return path


def test_the_indexed_files_are_gits_own_list(root: Path, tmp_path: Path) -> None:
    """Of the repository, and of the child repository by its own rules."""
    expected = listed(root) | listed(root / "lib", "lib/")
    assert {"src/build/in.py", "src/x.gen.py", "src/deep/shown.py", "tracked.gen.py", "lib/y.gen.py"} < expected
    assert not {"x.gen.py", "excluded.py", "src/private.py", "lib/own.py", "build/out.py"} & expected
    with running(tmp_path / "home", root) as run:
        assert expected == set(run.rows())


@pytest.mark.parametrize("rules", [".gitignore", "src/.gitignore", "src/deep/.gitignore", ".git/info/exclude"])
def test_a_changed_ignore_file_takes_effect_without_a_restart(root: Path, tmp_path: Path, rules: str) -> None:
    """At any level, and the local exclude file too."""
    with running(tmp_path / "home", root, watch="auto") as run:
        write(root, {rules: "page.js\napp.py\n"})
        changed = listed(root) | listed(root / "lib", "lib/")
        run.wait_until(lambda: changed == set(run.rows()))

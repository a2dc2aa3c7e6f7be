"""Whether one file is ignored: the same answer as the index has for the whole workspace."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from codeassistd.index.ignored import is_ignored
from tests.support.indexing import write

FILES = {
    ".gitignore": "build/\n*.gen.py\n!kept.gen.py\n/only_here.py\n",
    "sub/.gitignore": "local.py\n!*.gen.py\n",
    "a.py": "",
    "only_here.py": "",
    "sub/only_here.py": "",
    "x.gen.py": "",
    "kept.gen.py": "",
    "sub/x.gen.py": "",
    "sub/local.py": "",
    "build/a.py": "",
    "build/deep/a.py": "",
    "new.py": "",
}
EXPECTED = {"only_here.py", "x.gen.py", "sub/local.py", "build/a.py", "build/deep/a.py"}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True, capture_output=True
    )


@pytest.fixture(params=["git", "files alone"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace, in a repository and without one."""
    path = tmp_path / "shop"
    write(path, FILES)
    if request.param == "git":
        if shutil.which("git") is None:
            pytest.skip("there is no git")
        git(path, "init", "-q")
    return path


def test_nested_rules_and_exceptions_hold(root: Path) -> None:
    """With git and by the ignore files themselves."""
    asked = [name for name in FILES if name.endswith(".py")]

    assert EXPECTED == {name for name in asked if is_ignored(root / name, root)}


def test_a_file_that_git_tracks_is_not_ignored(tmp_path: Path) -> None:
    """Whatever the rules say."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    root = tmp_path / "shop"
    write(root, FILES)
    git(root, "init", "-q")
    git(root, "add", "-f", "build/a.py")

    assert [False, True] == [is_ignored(root / name, root) for name in ("build/a.py", "build/deep/a.py")]


def test_a_repository_inside_has_its_own_rules(tmp_path: Path) -> None:
    """Unless the outer one leaves all of it out."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    root = tmp_path / "shop"
    write(
        root,
        {
            ".gitignore": "cache/\nlocal.py\n",
            "lib/.gitignore": "made.py\n",
            "lib/made.py": "",
            "lib/local.py": "",
            "cache/lib/a.py": "",
        },
    )
    for folder in ("", "lib", "cache/lib"):
        git(root / folder, "init", "-q")

    assert [True, False, True] == [
        is_ignored(root / name, root) for name in ("lib/made.py", "lib/local.py", "cache/lib/a.py")
    ]


def test_without_a_workspace_the_files_own_folder_is_asked(root: Path) -> None:
    """A single file that was opened by itself."""
    assert [True, False] == [is_ignored(root / name, None) for name in ("x.gen.py", "a.py")]


def test_what_tools_fill_is_ignored_where_no_repository_says_so(tmp_path: Path) -> None:
    """As in the index."""
    write(tmp_path, {"node_modules/a/index.js": "", "src/index.js": ""})

    assert [True, False] == [
        is_ignored(tmp_path / name, tmp_path) for name in ("node_modules/a/index.js", "src/index.js")
    ]


def test_a_file_that_does_not_exist_yet_is_judged_by_its_name(root: Path) -> None:
    """A new buffer with a name; and one in a folder that is not there."""
    assert [True, False, False] == [
        is_ignored(root / name, root) for name in ("new.gen.py", "brand_new.py", "nowhere/a.py")
    ]


def test_odd_names_are_not_ignored(root: Path) -> None:
    """Longer than a name can be, no letters, and a workspace that is the file itself."""
    assert [False, False, False] == [
        is_ignored(root / ("x" * 5000), root),
        is_ignored(root / "\udcff.py", root),
        is_ignored(root / "a.py", root / "a.py"),
    ]

"""Whether one file is ignored: the same answer as the index has for the whole workspace."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from codeassistd.index.ignored import IgnoreFiles, is_ignored
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


def test_the_files_of_rules_are_sure_where_they_name_nothing(root: Path) -> None:
    """What they do not name is not ignored; what they name may be an exception, which git knows."""
    files = IgnoreFiles()
    asked = [name for name in FILES if name.endswith(".py")]

    assert EXPECTED | {"kept.gen.py", "sub/x.gen.py"} >= {name for name in asked if files.may_name(root / name, root)}
    assert [True, False] == [files.may_name(root / name, None) for name in ("x.gen.py", "a.py")]
    assert all(files.may_name(root / name, root) for name in EXPECTED)


def test_rules_outside_the_workspace_are_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own, the repository's local ones, those of a folder above; also in a second work tree."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    repository, second = tmp_path / "repository", tmp_path / "second"
    write(repository, {"shop/a.py": "", ".gitignore": "above.py\n"})
    write(tmp_path, {"mine": "mine.py\n", "config": f"[core]\n\texcludesFile = {tmp_path / 'mine'}\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    git(repository, "worktree", "add", "-q", str(second))
    (repository / ".git" / "info" / "exclude").write_text("local.py\n", encoding="utf-8")

    for root in (repository / "shop", second / "shop", second):
        files = IgnoreFiles()
        names = ("mine.py", "local.py", "above.py", "a.py")
        assert [True, True, True, False] == [files.may_name(root / name, root) for name in names]
        assert [True, True, True, False] == [is_ignored(root / name, root) for name in names]


def test_the_rules_of_a_submodule_are_left_to_git(tmp_path: Path) -> None:
    """Its own local rules lie in the outer repository's folder."""
    write(tmp_path, {"lib/.git": "gitdir: ../.git/modules/lib\n", "lib/a.py": "", "b.py": ""})

    assert [True, False] == [IgnoreFiles().may_name(tmp_path / name, tmp_path) for name in ("lib/a.py", "b.py")]


def test_names_that_no_disk_can_hold_are_named_by_no_rule(tmp_path: Path) -> None:
    """As git has it."""
    assert not IgnoreFiles().may_name(tmp_path / "a" / ("x" * 5000) / "y", tmp_path)


def test_a_line_that_is_no_rule_names_nothing(root: Path) -> None:
    """A lone backslash or exclamation mark: git passes over it, and so do we; the other lines hold."""
    (root / ".gitignore").write_text("\\\n!\nb.py\\\na.py\n", encoding="utf-8")
    names = ("a.py", "b.py", "new.py")

    assert [True, False, False] == [is_ignored(root / name, root) for name in names]
    assert [True, False, False] == [IgnoreFiles().may_name(root / name, root) for name in names]

"""Which files of a workspace are indexed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeassistd.index import ignore
from codeassistd.index.git import Patience
from codeassistd.index.ignore import survey, watchable_folders
from tests.support.indexing import git, repository, write

#: In letters, without the zero at its end.
_LONGEST_PATH = 4095


class Enough(Exception):  # noqa: N818 - what somebody says, no error
    """The result is not wanted any more."""


def language_of(path: str) -> str | None:
    """Python files only."""
    return "python" if path.endswith(".py") else None


def found(root: Path, *excluded: Path) -> list[str]:
    """Paths of a survey."""
    return sorted(survey(root, language_of, excluded).files)


def folders(root: Path) -> list[str]:
    """Folders to watch."""
    return sorted(watchable_folders(root, survey(root, language_of)))


@pytest.fixture
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git."""
    monkeypatch.setattr(ignore, "open_repository", lambda *_: None)


NESTED = {
    ".gitignore": "build/\n*.gen.py\n/top.py\n!kept.gen.py\n",
    "a.py": "",
    "top.py": "",
    "x.gen.py": "",
    "kept.gen.py": "",
    "build/b.py": "",
    "pkg/top.py": "",
    "pkg/.gitignore": "local.py\n!build/\n",
    "pkg/local.py": "",
    "pkg/deep/local.py": "",
    "pkg/build/c.py": "",
    "pkg/notes.txt": "",
}
KEPT = ["a.py", "kept.gen.py", "pkg/build/c.py", "pkg/top.py"]


def test_git_decides_in_a_work_tree(tmp_path: Path) -> None:
    """Nested ignore files, exceptions and leading slashes mean what they mean to git."""
    write(repository(tmp_path), NESTED)
    assert KEPT == found(tmp_path)


@pytest.mark.usefixtures("no_git")
def test_without_git_the_ignore_files_mean_the_same(tmp_path: Path) -> None:
    """The same tree gives the same files when pathspec reads the rules."""
    write(repository(tmp_path), NESTED)
    assert KEPT == found(tmp_path)


@pytest.mark.usefixtures("no_git")
def test_without_git_the_local_exclude_file_counts(tmp_path: Path) -> None:
    """`.git/info/exclude` is read too."""
    write(repository(tmp_path), {".git/info/exclude": "mine.py\n", "mine.py": "", "a.py": ""})
    assert ["a.py"] == found(tmp_path)


def test_outside_a_repository_downloaded_folders_are_left_out(tmp_path: Path) -> None:
    """Where nothing says what is built, folders that tools fill are known by name or by their mark."""
    write(tmp_path, {"a.py": "", "node_modules/m.py": "", "env/pyvenv.cfg": "", "env/lib/l.py": ""})
    assert ["a.py"] == found(tmp_path)


def test_a_project_in_an_ignored_folder_of_a_home_repository_is_seen(tmp_path: Path) -> None:
    """A home folder kept in git ignores everything else; that must not empty the projects below it."""
    write(
        repository(tmp_path), {".gitignore": "*\n", "work/p/a.py": "", "work/p/.gitignore": "b.py\n", "work/p/b.py": ""}
    )
    assert ["a.py"] == found(tmp_path / "work" / "p")


def test_a_tracked_file_counts_although_a_rule_matches_it(tmp_path: Path) -> None:
    """Tracked is tracked, as for git."""
    write(repository(tmp_path), {"odd.py": "", ".gitignore": "odd.py\n"})
    git(tmp_path, "add", "-f", "odd.py")
    assert ["odd.py"] == found(tmp_path)


def test_repositories_inside_are_asked_for_their_own_files(tmp_path: Path) -> None:
    """A child repository's rules decide about its files; a second work tree is another state of the same files."""
    write(repository(tmp_path), {"a.py": ""})
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "worktree", "add", "-q", "second", "-b", "other")
    child = repository(tmp_path / "child")
    write(child, {"c.py": "", "out.py": "", ".gitignore": "out.py\n"})
    sub = repository(tmp_path / "sub.py")
    write(sub, {"s.py": ""})
    git(sub, "add", "s.py")
    git(sub, "commit", "-qm", "first")
    git(tmp_path, "-c", "advice.addEmbeddedRepo=false", "add", "sub.py")
    assert ["a.py", "child/c.py", "sub.py/s.py"] == found(tmp_path)
    assert ["", "child", "sub.py"] == folders(tmp_path)


def test_a_folder_of_repositories_needs_none_itself(tmp_path: Path) -> None:
    """Several repositories under one plain folder are asked one by one."""
    write(tmp_path, {"a.py": ""})
    write(repository(tmp_path / "one"), {"x.py": "", "y.py": "", ".gitignore": "y.py\n"})
    assert ["a.py", "one/x.py"] == found(tmp_path)


def test_a_tracked_file_behind_a_link_is_not_read(tmp_path: Path) -> None:
    """Tracked files stay listed when their folder was replaced by a link; the link may lead anywhere."""
    outside = tmp_path / "outside"
    write(outside, {"secret_plan.py": ""})
    root = repository(tmp_path / "root")
    write(root, {"pkg/secret_plan.py": "", "a.py": ""})
    git(root, "add", ".")
    shutil.rmtree(root / "pkg")
    (root / "pkg").symlink_to(outside)
    assert ["a.py"] == found(root)


def test_secrets_and_our_own_state_are_left_out(tmp_path: Path) -> None:
    """A name that may hold secrets is never read, whatever git says, and neither are our own folders."""
    write(repository(tmp_path), {"a.py": "", "secrets.yml": "", ".ssh/config.py": "", "state/index/s.py": ""})
    assert ["a.py"] == found(tmp_path, tmp_path / "state")


def test_ignored_folders_get_no_watch_but_empty_ones_do(tmp_path: Path) -> None:
    """A file could appear in an empty folder; one that appears in an ignored folder is none of ours."""
    write(repository(tmp_path), {"a.py": "", ".gitignore": "built/\n", "built/deep/b.py": "", "pkg/c.py": ""})
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    (tmp_path / ":odd").mkdir()
    assert ["", ":odd", "empty", "empty/deeper", "pkg"] == folders(tmp_path)


def test_git_writes_nothing_and_starts_nothing(tmp_path: Path) -> None:
    """The index of git keeps its bytes and times, and the program that its config names does not run."""
    write(repository(tmp_path), {"a.py": ""})
    git(tmp_path, "add", "a.py")
    trap = tmp_path / "ran"
    (tmp_path / "hook").write_text(f"#!/bin/sh\ntouch {trap}\n")
    (tmp_path / "hook").chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(tmp_path / "hook"))
    os.utime(tmp_path / "a.py", ns=(1, 1))
    before = {path: path.stat().st_mtime_ns for path in sorted((tmp_path / ".git").rglob("*"))}
    assert ["a.py"] == found(tmp_path)
    folders(tmp_path)
    assert before == {path: path.stat().st_mtime_ns for path in sorted((tmp_path / ".git").rglob("*"))}
    assert not trap.exists()


def test_a_daemon_started_by_a_git_hook_asks_about_the_right_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks of git have GIT_DIR set; a daemon that inherits it must not look there."""
    write(repository(tmp_path / "other"), {"o.py": ""})
    write(repository(tmp_path / "mine"), {"m.py": "", ".gitignore": "n.py\n", "n.py": ""})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert ["m.py"] == found(tmp_path / "mine")


def test_two_stars_before_a_final_slash_are_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git reads `a/**/` as any folder below `a`, at any depth; the files right in `a` stay."""
    root = repository(tmp_path / "tree")
    write(root, {".gitignore": "a/**/\n", "a/c.py": "", "a/b/d.py": "", "a/b/c/e.py": ""})
    assert ["a/c.py"] == found(root)
    monkeypatch.setattr(ignore, "open_repository", lambda *_: None)
    assert ["a/c.py"] == found(root)


def test_two_stars_at_the_end_are_what_is_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception for what is in a folder does not bring back the folder that an earlier line leaves out."""
    root = repository(tmp_path / "tree")
    write(root, {".gitignore": "a\n!a/**\nb/**\n!b/c.py\n", "a/c.py": "", "b/c.py": "", "b/d.py": ""})
    assert ["b/c.py"] == found(root)
    monkeypatch.setattr(ignore, "open_repository", lambda *_: None)
    assert ["b/c.py"] == found(root)


@pytest.mark.usefixtures("no_git")
def test_a_rule_of_very_many_stars_is_cut_and_an_exception_is_none(tmp_path: Path) -> None:
    """Comparing it would take minutes; what is cut names more, so a secret stays hidden."""
    rules = "x*a*a*a*a*a*a*a*a*a*a*b\n!x*a*a*a*a*a*a*a*a*a*a*c.py\n"
    write(tmp_path, {".gitignore": rules, f"x{'a' * 200}c.py": "", "y.py": ""})
    assert ["y.py"] == found(tmp_path)


@pytest.mark.parametrize("prepare", [Path.mkdir, repository])
def test_a_survey_ends_at_the_entry_where_nobody_wants_it_any_more(
    tmp_path: Path, prepare: Callable[[Path], object]
) -> None:
    """In one folder of many files as in a list that git has made."""
    root = tmp_path / "root"
    prepare(root)
    write(root, {f"{number:02}.py": "" for number in range(50)})
    looked_at: list[str] = []

    def language_after_looking(path: str) -> str:
        looked_at.append(path)
        return "python"

    def go_on() -> None:
        if len(looked_at) == 3:
            raise Enough

    with pytest.raises(Enough):
        survey(root, language_after_looking, (), Patience(go_on=go_on))
    assert ["00.py", "01.py", "02.py"] == looked_at


@pytest.mark.skipif(sys.platform == "win32", reason="the git of this test is a shell script")
def test_who_has_enough_ends_git_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that does not answer is not waited for, and does not stay."""
    write(tmp_path, {"bin/git": f"#!/bin/sh\necho $$ > {tmp_path}/id\nexec sleep 1000\n"})
    (tmp_path / "bin" / "git").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def go_on() -> None:
        if (tmp_path / "id").exists() and (tmp_path / "id").read_text():
            raise Enough

    with pytest.raises(Enough):
        survey(tmp_path, language_of, (), Patience(go_on=go_on))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "id").read_text()), 0)


@pytest.mark.skipif(sys.platform != "linux", reason="a path's greatest length is this system's")
@pytest.mark.usefixtures("no_git")
def test_a_folder_that_cannot_be_looked_into_costs_only_itself(tmp_path: Path) -> None:
    """As where it is another user's: here no file in it could be named, its `.git` for one."""
    write(tmp_path, {"a.py": ""})
    here = os.open(tmp_path, os.O_DIRECTORY)
    n_left = _LONGEST_PATH - len(f"{tmp_path}")
    while n_left > 1:
        name = "d" * min(200, n_left - 1)
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here, n_left = below, n_left - 1 - len(name)
    os.close(here)
    assert ["a.py"] == found(tmp_path)


_NAMES = st.sampled_from(["a", "b", "ab", "c.py"])
_RULES = st.lists(
    st.builds(
        lambda negated, slash, name, tail: f"{negated}{slash}{name}{tail}",
        st.sampled_from(["", "", "!"]),
        st.sampled_from(["", "/", "**/"]),
        st.sampled_from(["a", "b", "a*", "*.py", "c.py", "a/b", "*", "a/**", "# a", " b", "[ab]"]),
        st.sampled_from(["", "/"]),
    ),
    max_size=4,
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.lists(_NAMES, max_size=2), st.sampled_from(["c.py", "d.py"])), min_size=1, max_size=6),
    st.dictionaries(st.sampled_from(["", "a/", "b/", "a/b/"]), _RULES, max_size=3),
)
def test_pathspec_agrees_with_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[tuple[list[str], str]], rules: dict[str, list[str]]
) -> None:
    """Random trees with random rules at several levels give the same files with and without git."""
    root = tmp_path / "tree"
    shutil.rmtree(root, ignore_errors=True)
    repository(root)
    for parents, name in files:
        folders_only = [part for part in parents if not part.endswith(".py")]
        write(root, {"/".join([*folders_only, name]): ""})
    for folder, lines in rules.items():
        write(root, {f"{folder}.gitignore": "\n".join(lines)})
    with_git = found(root)
    with monkeypatch.context() as patch:
        patch.setattr(ignore, "open_repository", lambda *_: None)
        assert with_git == found(root)

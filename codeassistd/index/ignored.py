"""Whether one file is ignored, by the rules that the index has for whole workspaces; reads the disk and may run git.

Two answers: a quick one from the files of rules, which can only say that none of them names the file, and git's own.
Most files are named by none, so that nobody has to wait for git before something is suggested in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath

from codeassistd.index.git import Patience, exclude_files, open_repository
from codeassistd.index.ignore import IGNORE_FILE, Rules, is_wanted, may_be_built, read_rules

__all__ = ["IgnoreFiles", "is_ignored", "will_be_indexed"]

#: One file is a question of milliseconds; a git that hangs must not hold up those about other files for long.
_PATIENCE = Patience(10.0)


class IgnoreFiles:
    """The files of rules round a file; any thread may ask.

    git is run once a workspace, for where the rules lie that hold for all of it.
    """

    def __init__(self) -> None:
        self._for_all: dict[Path, tuple[Path, ...]] = {}

    def may_name(self, path: Path, root: Path | None) -> bool:
        """Whether a rule may leave out `path`, a file of the workspace at `root`.

        Exceptions from rules, and what git tracks all the same, are left to git.
        """
        top = _top(path, root)
        if top not in self._for_all:
            self._for_all[top] = exclude_files(top, _PATIENCE)
        try:
            return _is_elsewhere(path, top) or any(
                may_be_built(folder) or _names(folder, path.relative_to(folder), self._for_all[top])
                for folder in path.parents
            )
        except OSError:
            # As in `is_ignored`.
            return False


def is_ignored(path: Path, root: Path | None) -> bool:
    """Whether `path`, a file of the workspace at `root`, would be left out of the index for an ignore rule.

    Without a workspace only the rules of the file's own folder are asked. What is not on this disk, or cannot be asked
    about, is not ignored.
    """
    try:
        return any(_leaves_out(base, inside) for base, inside in _repositories(_top(path, root), path))
    except OSError:
        # Its name is longer than any on this disk, or a folder on the way is not ours to look into.
        return False


def will_be_indexed(path: Path, root: Path) -> bool:
    """Whether `path`, a file of the workspace at `root` that is not on disk yet, is one to index once it is saved."""
    if root not in path.parents or not is_wanted(path.relative_to(root).as_posix()):
        return False
    try:
        if any(folder.is_symlink() for folder in path.parents if root in folder.parents):
            return False
        return not os.path.lexists(path) and not is_ignored(path, root)
    except OSError:
        return False


def _top(path: Path, root: Path | None) -> Path:
    return root if root is not None and root in path.parents else path.parent


def _is_elsewhere(path: Path, top: Path) -> bool:
    """Whether a submodule or a second work tree lies on the way from `top`: git knows where its own rules are."""
    return any((folder / ".git").is_file() for folder in path.parents if top in folder.parents)


def _names(folder: Path, inside: PurePath, for_all: tuple[Path, ...]) -> bool:
    """Whether a rule that may hold in `folder` names the file `inside` it, or a folder on the way there."""
    found = [read_rules(file) for file in (folder / IGNORE_FILE, folder / ".git" / "info" / "exclude", *for_all)]
    rules = [rule for lines in found if lines is not None for rule in lines.patterns if rule.include]
    return any(rule.match_file(way) is not None for rule in rules for way in _ways_in(inside))


def _ways_in(inside: PurePath) -> Iterator[str]:
    """The folders on the way to a file, each with a `/` at its end, and the file."""
    for folder in reversed(inside.parents[:-1]):
        yield f"{folder.as_posix()}/"
    yield inside.as_posix()


def _repositories(top: Path, path: Path) -> list[tuple[Path, str]]:
    """Each repository on the way from `top` to the file, with what it is asked about: the next one, or the file."""
    folders = [folder for folder in reversed(path.parents) if folder.is_relative_to(top)]
    bases = [folder for folder in folders if folder == top or (folder / ".git").exists()]
    asked = [*bases[1:], path]
    return [(base, inside.relative_to(base).as_posix()) for base, inside in zip(bases, asked, strict=True)]


def _leaves_out(base: Path, inside: str) -> bool:
    repository = open_repository(base, _PATIENCE)
    if repository is not None:
        return inside in repository.ignored([inside])
    rules = Rules.of_workspace(base, "")
    folder = PurePosixPath()
    for part in PurePosixPath(inside).parts[:-1]:
        rules = rules.inside(base, folder.as_posix() if folder.parts else "")
        folder /= part
        if rules.ignores(f"{folder}/") or rules.takes_for_built(base / folder):
            return True
    return rules.inside(base, folder.as_posix() if folder.parts else "").ignores(inside)

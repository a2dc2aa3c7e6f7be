"""Which files of a workspace may be indexed: what git would not ignore, cut to known languages, secrets never.

Inside a work tree git itself is asked, so that nested ignore files, exceptions, the local exclude file and the user's
own rules mean what they mean to git. A child repository or submodule is asked for its own files. A second work tree of
a repository is another state of the same files and is left to its own workspace. Elsewhere the folder is walked and
its `.gitignore` files are read by pathspec. Links are never followed: a file inside has its own name, and one outside
is not ours to read. A large folder takes minutes, so who has it surveyed may have enough of it at any entry.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from codeassistd.documents.secrets import is_secret
from codeassistd.index.git import Patience, Repository, is_linked_work_tree, open_repository
from codeassistd.wildcards import affordable

__all__ = [
    "IGNORE_FILE",
    "FoundFile",
    "LanguageOf",
    "Rules",
    "Seen",
    "Tree",
    "is_wanted",
    "may_be_built",
    "read_rules",
    "survey",
    "watchable_folders",
]

IGNORE_FILE = ".gitignore"

LanguageOf = Callable[[str], str | None]
"""The language of a file by its name, or None for files that are not indexed."""

#: Where no repository says what is built or downloaded, these folders are taken for it.
_BUILT = frozenset({"node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache"})
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})
_ALL_BELOW = re.compile(r"/\*\*(/?)\s*$")
_PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it lies on disk; `path` is relative to the workspace, with `/`."""

    path: str
    size: int
    mtime_ns: int
    language: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A workspace on disk.

    Attributes:
        files: what may be indexed, by path.
        folders: relative folders that hold anything not ignored; the workspace itself is the empty path.
        repositories: the repositories that were asked, by their relative folder.
    """

    files: Mapping[str, FoundFile]
    folders: frozenset[str]
    repositories: Mapping[str, Repository]

    @property
    def markers(self) -> frozenset[Path]:
        """Files outside the tree's own list whose change asks for a new survey."""
        return frozenset(marker for repository in self.repositories.values() for marker in repository.markers)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a workspace.

    Attributes:
        folders: relative folders where a file could appear; none where nobody wants to watch them.
    """

    tree: Tree
    folders: frozenset[str]


@dataclass(slots=True)
class _Survey:
    """What is gathered while a workspace is surveyed; `excluded` are relative folders."""

    root: Path
    language_of: LanguageOf
    excluded: tuple[str, ...]
    patience: Patience
    files: dict[str, FoundFile] = field(default_factory=dict)
    folders: set[str] = field(default_factory=lambda: {""})
    repositories: dict[str, Repository] = field(default_factory=dict)
    _real: dict[str, bool] = field(default_factory=lambda: {"": True})

    def add(self, path: str) -> bool:
        """Take the entry at `path` if it is a file to index; its folders are known from then on.

        Returns:
            Whether the entry is a folder instead, so a repository of its own.
        """
        folder = path.rpartition("/")[0]
        if _is_in(path, self.excluded) or not self._is_real(folder):
            return False
        while folder not in self.folders:
            self.folders.add(folder)
            folder = folder.rpartition("/")[0]
        try:
            info = os.lstat(f"{self.root}{os.sep}{path}")
        except OSError:
            # Tracked and deleted, or not ours to look at.
            return False
        if stat.S_ISREG(info.st_mode) and is_wanted(path) and (language := self.language_of(path)):
            self.files[path] = FoundFile(path, info.st_size, info.st_mtime_ns, language)
        return stat.S_ISDIR(info.st_mode)

    def _is_real(self, folder: str) -> bool:
        """Whether no part of `folder` is a link: git goes on listing tracked files where a link has replaced theirs."""
        if folder not in self._real:
            above = self._is_real(folder.rpartition("/")[0])
            self._real[folder] = above and not (self.root / folder).is_symlink()
        return self._real[folder]


def is_wanted(path: str) -> bool:
    """Whether a file may ever be indexed, judged by its name: no secret, and a name that a database can hold."""
    return not is_secret(PurePosixPath(path)) and not any("\ud800" <= letter <= "\udfff" for letter in path)


def survey(
    root: Path, language_of: LanguageOf, excluded: Collection[Path] = (), patience: Patience = _PATIENCE
) -> Tree:
    """Look at the whole workspace; unreadable folders are passed over.

    Args:
        root: absolute path of the workspace.
        language_of: the language of a file by its name.
        excluded: absolute folders that are left out wherever they lie.
        patience: `go_on` is called for each entry; the survey ends by what it raises.
    """
    found = _Survey(root, language_of, _relative(root, excluded), patience)
    _take(found, "")
    return Tree(found.files, frozenset(found.folders), found.repositories)


def watchable_folders(
    root: Path, tree: Tree, excluded: Collection[Path] = (), patience: Patience = _PATIENCE
) -> frozenset[str]:
    """The folders of `tree` and those that hold nothing yet, without the ignored ones: where a file could appear.

    git lists files, not folders, so the folders it did not name are looked up on disk and git is asked, level by
    level, which of them are ignored.
    """
    known, own = set(tree.folders), _relative(root, excluded)
    for base, repository in tree.repositories.items():
        level = [base]
        while level:
            below = [path for folder in level for path in _subfolders(root, folder, patience)]
            unknown = {
                path[len(base) :].lstrip("/"): path
                for path in below
                if path not in known and not _is_in(path, own) and not is_linked_work_tree(root / path)
            }
            ignored = repository.ignored(unknown)
            known |= {path for asked, path in unknown.items() if asked not in ignored}
            level = [path for path in below if path in known and path not in tree.repositories]
    return frozenset(known)


def _subfolders(root: Path, folder: str, patience: Patience) -> list[str]:
    patience.go_on()
    return [
        path
        for entry, path in _entries(root, folder)
        if entry.is_dir(follow_symlinks=False) and entry.name not in _VERSION_CONTROL
    ]


def _relative(root: Path, folders: Iterable[Path]) -> tuple[str, ...]:
    """Those of `folders` that lie inside `root`, relative to it."""
    return tuple(folder.relative_to(root).as_posix() for folder in folders if root in folder.parents)


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _take(found: _Survey, base: str) -> None:
    """Take the files of `base`, a folder of the workspace, as its own repository or its ignore files have it."""
    folder = found.root / base
    repository = open_repository(folder, found.patience)
    listed = repository.list_files() if repository else None
    if repository is None or listed is None:
        _walk(found, base)
        return
    found.repositories[base] = repository
    found.folders.add(base)
    for path in dict.fromkeys(listed):
        found.patience.go_on()
        whole = f"{base}/{path}" if base else path
        if path.endswith("/") or found.add(whole):
            _take_child(found, whole.rstrip("/"))


def _take_child(found: _Survey, base: str) -> None:
    """Take a repository inside another; a second work tree of one is not a child."""
    folder = found.root / base
    if folder.is_symlink() or _is_in(base, found.excluded) or is_linked_work_tree(folder):
        return
    if _is_there(folder / ".git"):
        _take(found, base)


def _walk(found: _Survey, base: str) -> None:
    """Take the files below `base` without git, by its `.gitignore` files."""
    rules = Rules.of_workspace(found.root, base)
    pending = [(base, rules)]
    while pending:
        folder, rules = pending.pop()
        rules = rules.inside(found.root, folder)
        found.folders.add(folder)
        for entry, path in _entries(found.root, folder):
            found.patience.go_on()
            if entry.is_symlink() or entry.name in _VERSION_CONTROL:
                continue
            if not entry.is_dir(follow_symlinks=False):
                if not rules.ignores(path):
                    found.add(path)
            elif rules.ignores(f"{path}/") or _is_in(path, found.excluded):
                continue
            elif _is_there(Path(entry.path, ".git")):
                _take_child(found, path)
            elif not rules.takes_for_built(Path(entry.path)):
                pending.append((path, rules))


def _entries(root: Path, folder: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    """The entries of a folder with their relative paths; none where it cannot be read."""
    try:
        with os.scandir(root / folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        yield entry, f"{folder}/{entry.name}" if folder else entry.name


@dataclass(frozen=True, slots=True)
class Rules:
    """The ignore files that hold in one folder, outermost first, each with the folder it stands in."""

    levels: tuple[tuple[str, GitIgnoreSpec], ...]
    in_repository: bool

    @classmethod
    def of_workspace(cls, root: Path, base: str) -> Rules:
        """The rules that hold before any `.gitignore` below `base` is read: the repository's local exclude file."""
        git = root / base / ".git"
        exclude = read_rules(git / "info" / "exclude")
        return cls(((base, exclude),) if exclude else (), _is_there(git))

    def inside(self, root: Path, folder: str) -> Rules:
        """The rules that hold in `folder`, whose parent's these are."""
        spec = read_rules(root / folder / IGNORE_FILE)
        return Rules((*self.levels, (folder, spec)), self.in_repository) if spec else self

    def ignores(self, path: str) -> bool:
        """Whether `path` is ignored (a folder ends in `/`): the innermost ignore file with a matching line decides."""
        for folder, spec in reversed(self.levels):
            verdict = spec.check_file(path[len(folder) :].lstrip("/")).include
            if verdict is not None:
                return verdict
        return False

    def takes_for_built(self, folder: Path) -> bool:
        """Whether a folder is one that tools fill, where no repository was there to say so."""
        return not self.in_repository and may_be_built(folder)


def may_be_built(folder: Path) -> bool:
    """Whether a folder is one that tools fill, unless a repository says otherwise."""
    return folder.name in _BUILT or _is_there(folder / "pyvenv.cfg")


def _is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where the folder is closed to us


def read_rules(file: Path) -> GitIgnoreSpec | None:
    """The rules of one ignore file; like git, without a byte-order mark, and not through a link."""
    try:
        if file.is_symlink():
            return None
        text = file.read_text("utf-8-sig", "surrogateescape")
    except OSError:
        return None
    return _rules(text)


@lru_cache(maxsize=256)
def _rules(text: str) -> GitIgnoreSpec:
    return GitIgnoreSpec(pattern for line in text.split("\n") for pattern in _patterns(line))


def _patterns(line: str) -> Iterable[GitIgnoreSpecPattern]:
    """The rule of one line; none where it is empty, or not one: to git such a line names nothing.

    One that would hold up the survey names too much rather than too little: it may hide a secret, and an exception to
    others may open one.
    """
    rule = affordable(line)
    if not rule or (rule != line and line.startswith("!")):
        return ()
    try:
        # What a trailing "/**" or "/**/" names is further down for git; for pathspec it is the folder itself, too.
        return (GitIgnoreSpecPattern(_ALL_BELOW.sub(r"/**/*\1", rule)),)
    except ValueError:
        return ()

"""Takes away all that this program has put on a machine, and nothing else.

Folders that are named after us go as a whole; in others (those of `CODEASSISTD_HOME`) only what `paths.py` names goes.
A link is removed as a link, whatever it leads to.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["Removal", "plan_purge", "refuse_beside_editors", "remove", "remove_empty"]

_OWN_NAME = "codeassistd"
_SIGNS_OF_A_WORKSPACE = (".git", ".hg", ".svn", ".jj")
_RUNTIME_FILES = ("daemon-*", "start-*")


@dataclass(frozen=True, slots=True)
class Removal:
    """Something of ours on the disk.

    Attributes:
        path: a folder, a file or a link.
        n_bytes: of the files in it; 0 for a link, which is removed alone.
    """

    path: Path
    n_bytes: int


def plan_purge(paths: Paths, *, keep_models: bool) -> list[Removal]:
    """What there is of ours, in the order in which it goes; removes nothing."""
    kept = paths.models_dir if keep_models else None
    folders = dict.fromkeys((paths.config_dir, paths.data_dir, paths.state_dir, paths.cache_dir))
    found = [part for folder in folders for part in _parts(folder, paths, kept)]
    found += [file for pattern in _RUNTIME_FILES for file in sorted(paths.runtime_dir.glob(pattern))]
    # Where one folder lies in another it goes with it.
    outer = [part for part in dict.fromkeys(found) if not any(other in part.parents for other in found)]
    return [Removal(part, _size(part)) for part in outer]


def remove(removals: Iterable[Removal]) -> list[str]:
    """Remove them; answers one line for each that could not be."""
    problems = []
    for removal in removals:
        try:
            if removal.path.is_dir() and not removal.path.is_symlink():
                shutil.rmtree(removal.path)
            else:
                removal.path.unlink(missing_ok=True)
        except OSError as error:
            problems.append(f"{removal.path} cannot be removed: {error.strerror}")
    return problems


def remove_empty(paths: Paths) -> None:
    """Remove our folders that nothing is left in, and the one that holds them where it is ours alone."""
    folders = [paths.config_dir, paths.data_dir, paths.state_dir, paths.cache_dir, paths.runtime_dir]
    holders = {folder.parent for folder in folders if folder.parent.name.startswith(_OWN_NAME)}
    if paths.config_dir.name != _OWN_NAME and paths.config_dir.parent == paths.data_dir.parent:
        holders.add(paths.config_dir.parent)
    # The deepest first.
    for folder in sorted({*folders, *holders}, key=lambda path: len(path.parts), reverse=True):
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()


def refuse_beside_editors(paths: Paths) -> None:
    """See that no editor is connected: it would start the daemon again, and have it write all anew.

    Raises:
        DaemonError: one is.
    """
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        return
    with ControlClient(connection) as daemon:
        sessions: Sequence[dict[str, object]] = daemon.call("status")["sessions"]
    if sessions:
        names = ", ".join(sorted({str(session["client"] or "an editor") for session in sessions}))
        raise DaemonError(f"{names} would start the daemon again; close it, or end its language server, and try again")


def _parts(folder: Path, paths: Paths, kept: Path | None) -> Iterator[Path]:
    """What of a folder is to go: itself, or those things in it that are ours and not kept."""
    if not os.path.lexists(folder) or any((folder / sign).exists() for sign in _SIGNS_OF_A_WORKSPACE):
        return
    if folder.is_symlink():
        yield folder
        return
    if folder.name == _OWN_NAME and (kept is None or folder not in kept.parents):
        yield folder
        return
    names = {path.relative_to(folder).parts[0] for path in _named(paths) if folder in path.parents}
    for child in sorted(folder.iterdir()):
        if child != kept and (folder.name == _OWN_NAME or child.name in names):
            yield child


def _named(paths: Paths) -> Iterator[Path]:
    """All places that `paths.py` has a name for."""
    for name, member in vars(Paths).items():
        if isinstance(member, property):
            yield getattr(paths, name)


def _size(path: Path) -> int:
    if path.is_symlink():
        return 0
    if not path.is_dir():
        return path.lstat().st_size
    return sum(
        (Path(folder) / file).lstat().st_size for folder, _, files in os.walk(path, followlinks=False) for file in files
    )

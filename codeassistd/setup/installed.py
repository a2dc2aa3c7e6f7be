"""What was put outside of our own directories, so that exactly that can be taken away again.

Each thing is remembered with a mark of what it was. What has another mark now was changed by the user and is his.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from codeassistd.catalogue.folder import write_json
from codeassistd.errors import DaemonError
from codeassistd.paths import make_private_dir

__all__ = ["Installed", "Item", "Kind", "file_mark", "is_unchanged", "take_away", "tree_mark"]

_EDITOR_S = 120.0
_OWN_FOLDERS = ("start", "codeassistd")


class Kind(StrEnum):
    """What a thing is, which says how it is taken away."""

    LINK = "link"
    TREE = "tree"
    FILE = "file"
    EXTENSION = "extension"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that we put somewhere.

    Attributes:
        place: its path; of an extension, that of its editor's command.
        mark: the target of a link, the hash of a file or of a tree; of an extension, its name.
    """

    kind: Kind
    place: str
    mark: str


@dataclass(frozen=True, slots=True)
class Installed:
    """The list of these things, in a file of its own."""

    file: Path

    def items(self) -> Sequence[Item]:
        """All of them.

        Raises:
            DaemonError: the file is damaged.
        """
        try:
            rows = json.loads(self.file.read_text(encoding="utf-8"))["items"]
            return [Item(Kind(row["kind"]), str(row["place"]), str(row["mark"])) for row in rows]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DaemonError(f"{self.file} cannot be read ({error}); remove it, and by hand what it names") from error

    def find(self, place: str) -> Item | None:
        """The thing at that place, as it was put there."""
        return next((item for item in self.items() if item.place == place), None)

    def put(self, item: Item) -> None:
        """Remember a thing, in place of an older one at the same place."""
        self._write([*(other for other in self.items() if other.place != item.place), item])

    def drop(self, place: str) -> None:
        """Forget the thing at that place."""
        self._write([item for item in self.items() if item.place != place])

    def _write(self, items: Sequence[Item]) -> None:
        make_private_dir(self.file.parent)
        write_json(self.file, {"items": [asdict(item) for item in items]})


def is_unchanged(item: Item) -> bool:
    """Whether it is still what we put there; an extension always counts as ours."""
    path = Path(item.place)
    match item.kind:
        case Kind.LINK:
            return path.is_symlink() and str(path.readlink()) == item.mark
        case Kind.FILE:
            return path.is_file() and not path.is_symlink() and file_mark(path.read_bytes()) == item.mark
        case Kind.TREE:
            return path.is_dir() and not path.is_symlink() and tree_mark(path) == item.mark
        case Kind.EXTENSION:
            return True


def take_away(item: Item) -> str:
    """Remove it if it is unchanged, or gone already; answers why it was left, or an empty text."""
    path = Path(item.place)
    if item.kind is Kind.EXTENSION:
        return _uninstall_extension(item)
    if not os.path.lexists(path):
        return ""
    if not is_unchanged(item):
        return "was changed since"
    try:
        if item.kind is Kind.TREE:
            shutil.rmtree(path)
        else:
            path.unlink()
        # Neovim finds packages two folders deep; those were made for this one.
        for folder in path.parents[:2]:
            if folder.name in _OWN_FOLDERS and not any(folder.iterdir()):
                folder.rmdir()
    except OSError as error:
        return f"cannot be removed: {error.strerror}"
    return ""


def file_mark(content: bytes) -> str:
    """What tells one content of a file from another."""
    return hashlib.sha256(content).hexdigest()


def tree_mark(folder: Path) -> str:
    """What tells one tree of files from another: names and contents."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.relative_to(folder).as_posix()}\0{file_mark(content)}\n".encode())
    return digest.hexdigest()


def _uninstall_extension(item: Item) -> str:
    command = shutil.which(item.place)
    if command is None:
        # The editor is gone, and its extensions with it.
        return ""
    try:
        done = subprocess.run(
            [command, "--uninstall-extension", item.mark], capture_output=True, timeout=_EDITOR_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"`{command} --uninstall-extension {item.mark}` does not end"
    # It also fails where the user has removed the extension himself.
    return "" if done.returncode == 0 or b"not installed" in done.stdout + done.stderr else "its editor refuses"

"""The files that a conversation may look at: open documents before the disk, and never a secret or an ignored one."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.documents.document import Document
from codeassistd.documents.secrets import is_secret
from codeassistd.index.types import IndexLookup

__all__ = ["Desk", "Refusal", "may_be_secret"]

#: Larger files are no reading for a question.
_MAX_BYTES = 1_048_576


def may_be_secret(path: Path) -> bool:
    """Whether a file may hold secrets by its name, or by that of the file that it is a link to."""
    try:
        return is_secret(path) or is_secret(path.resolve())
    except (OSError, RuntimeError):
        # A link that leads round in a circle; nothing can be read there either.
        return True


def _is_file(path: Path) -> bool:
    """Whether it is one that can be seen: a folder on the way may be another user's, a name longer than any here."""
    try:
        return path.is_file()
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file is not shown, in one line."""

    why: str


@dataclass(frozen=True, slots=True)
class Desk:
    """Reads files for one question; blocks, so it belongs to a worker thread.

    Attributes:
        root: the workspace; None outside of any.
        documents: all that is open.
        is_ignored: whether an ignore rule leaves a file of the workspace out; may run git.
        lookup: the index as this editor sees it.
    """

    root: Path | None
    documents: Sequence[Document]
    is_ignored: Callable[[Path, Path | None], bool]
    lookup: IndexLookup

    def read(self, path: Path) -> str | Refusal:
        """The text of a file that the user has named, as it is now."""
        return self._forbidden(path) or self.text(path) or self._why_not(path)

    def may_show(self, path: Path) -> bool:
        """Whether a file may be shown as it is now, which one that was shown before may not be any more."""
        return self._forbidden(path) is None

    def text(self, path: Path) -> str | None:
        """The text of a file that was shown before, as it is now; None if it is gone, binary or too large.

        A link that leads to a secret by now is gone, too.
        """
        if may_be_secret(path):
            return None
        opened = next((document for document in self.documents if document.path == path), None)
        if opened is not None:
            return str(opened.text)
        try:
            if not path.is_file() or path.stat().st_size > _MAX_BYTES:
                return None
            return path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None

    def find(self, name: str) -> Path | None:
        """The file that a mention means: by its path in the workspace, else an open document that ends so."""
        try:
            wanted = Path(name).expanduser()
        except RuntimeError:
            # The home folder of a user that there is not.
            return None
        if self.root is not None and _is_file(self.root / wanted):
            return self.root / wanted
        if wanted.is_absolute():
            return wanted if _is_file(wanted) else None
        for document in self.documents:
            if document.path is not None and document.path.parts[-len(wanted.parts) :] == wanted.parts:
                return document.path
        return None

    def name(self, path: Path) -> str:
        """How people call the file: its path in the workspace, if it lies there."""
        if self.root is not None and path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return str(path)

    def _forbidden(self, path: Path) -> Refusal | None:
        if may_be_secret(path):
            return Refusal(f"{self.name(path)} is not shown: by its name it may hold secrets")
        if self.is_ignored(path, self.root):
            return Refusal(f"{self.name(path)} is not shown: an ignore rule leaves it out")
        return None

    def _why_not(self, path: Path) -> Refusal:
        name = self.name(path)
        try:
            status = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return Refusal(f"there is no file {name}")
        except OSError as error:
            return Refusal(f"{name} cannot be read: {error.strerror}")
        if stat.S_ISDIR(status.st_mode):
            return Refusal(f"{name} is a folder; name a file")
        if status.st_size > _MAX_BYTES:
            return Refusal(f"{name} is larger than {_MAX_BYTES // 1024} KiB; select what matters")
        return Refusal(f"{name} is empty, or no UTF-8 text")

"""A lock that the operating system takes back when its holder dies, however it dies.

The file is never removed: unlinking a locked file would let two processes lock two files of one name. Standard library
only, since the proxy uses it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from codeassistd.errors import DaemonError

__all__ = ["Lock"]

#: Windows locks bytes, and locked bytes cannot be read; so one far behind the process id is locked.
_LOCKED_BYTE = 1 << 30


class Lock:
    """A held lock; taken by `Lock.take`, given back by `release` or by the end of the process."""

    def __init__(self, file: int) -> None:
        self._file = file

    @classmethod
    def take(cls, path: Path) -> Lock | None:
        """Lock `path`, creating it for the owner only; None if somebody else holds it.

        Raises:
            DaemonError: there can be no lock: the folder cannot be written, something else is in the way, or the disk
                is full.
        """
        while True:
            try:
                file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            except OSError as error:
                remedy = "its folder must be yours to write, and nothing else may have that name"
                raise DaemonError(f"cannot lock {path}: {error.strerror}; {remedy}") from error
            if not _try_lock(file):
                os.close(file)
                return None
            if _is_at(path, file):
                break
            # Somebody cleaned the folder between opening and locking: this is a lock on a file without a name.
            os.close(file)
        try:
            os.ftruncate(file, 0)
            os.write(file, b"%d" % os.getpid())
        except OSError as error:
            # Left open it would be held by nobody who could give it back, also against our own next try.
            os.close(file)
            raise DaemonError(f"cannot write {path}: {error.strerror}; make room on its disk") from error
        return cls(file)

    @staticmethod
    def is_held(path: Path) -> bool:
        """Whether somebody holds the lock at this moment; asking takes it for an instant if nobody does."""
        try:
            file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return False
        try:
            return not _try_lock(file)
        finally:
            os.close(file)

    @staticmethod
    def holder(path: Path) -> int | None:
        """Process id of the last holder, for messages; None if nobody ever held it."""
        try:
            return int(path.read_text("ascii"))
        except (OSError, ValueError):
            return None

    def fileno(self) -> int:
        """The descriptor; on POSIX a child that inherits it holds the lock too, until it ends."""
        return self._file

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._file)


def _is_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int) -> bool:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

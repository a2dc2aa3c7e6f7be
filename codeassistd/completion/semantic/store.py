"""The semantic cache on disk: bytes under bytes in diskcache's SQLite database, for the owner only.

diskcache pickles whatever is not plain, and unpickles what it finds; `_BytesDisk` takes and gives bytes alone, within
the database, so that nothing on disk is ever run and there are no files beside it. Any number of processes may have it
open. What is damaged is removed and made anew: it is a cache.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import diskcache

from codeassistd.completion.semantic.entry import OddEntryError
from codeassistd.errors import DaemonError, StoreError
from codeassistd.index.open_store import DamagedStoreError, translated_errors
from codeassistd.paths import make_private_dir

__all__ = ["SemanticStore", "open_or_remake", "remove_files"]

_WHAT = "the semantic cache"
_NAME = "cache.db"
#: The database and what SQLite keeps beside it.
_FILES = (_NAME, f"{_NAME}-wal", f"{_NAME}-shm", f"{_NAME}-journal")
#: Another process may be writing; each of its transactions is far shorter than this.
_BUSY_S = 2.0
#: An entry takes more than 256 bytes, and the largest cache has 1 GiB.
_MAX_KEYS = 1 << 22
_RAW = diskcache.core.MODE_RAW
_SETTINGS = {
    # A read is no write: what is used again is put again.
    "eviction_policy": "least-recently-stored",
    "statistics": 0,
    "tag_index": 0,
    "cull_limit": 10,
    # Pages that are mapped into memory would end the process when somebody cuts the file.
    "sqlite_mmap_size": 0,
    "sqlite_cache_size": 256,
    # The log counts too, so it is kept short.
    "sqlite_wal_autocheckpoint": 64,
    "sqlite_journal_size_limit": 262_144,
}


class _BytesDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """Bytes in, bytes out."""

    def put(self, key: bytes) -> tuple[object, bool]:
        """A key for the database."""
        return memoryview(key), True

    def get(self, key: object, raw: object) -> bytes:
        """A key from the database; empty for one that is not ours."""
        return key if raw and isinstance(key, bytes) else b""

    def store(self, value: bytes, read: object, key: object = None) -> tuple[int, int, None, object]:
        """A value for the database, never for a file beside it."""
        del read, key
        return 0, _RAW, None, memoryview(value)

    def fetch(self, mode: object, filename: object, value: object, read: object) -> bytes:
        """A value from the database."""
        del read
        if mode != _RAW or filename is not None or not isinstance(value, bytes):
            raise OddEntryError("it is not ours")
        return value

    def remove(self, file_path: object) -> None:
        """There are no files of ours, and a name in a row must not remove somebody else's."""


class SemanticStore:
    """The database; made, used and closed by one thread."""

    def __init__(self, folder: Path, cache: diskcache.Cache) -> None:
        self.folder = folder
        self._cache = cache

    @classmethod
    def open(cls, folder: Path, max_bytes: int) -> SemanticStore:
        """Open the store in `folder`, making both as needed.

        Args:
            folder: holds nothing else.
            max_bytes: of the database; the oldest entries go first.

        Raises:
            DamagedStoreError: it is not a database, or one with broken pages.
            StoreError: it cannot be opened here.
        """
        if os.path.expandvars(folder.expanduser()) != str(folder):
            raise StoreError(f"{_WHAT} {folder} cannot be used: diskcache would read the $ or ~ in its path")
        with _translated(folder):
            make_private_dir(folder)
            _make_private_file(folder / _NAME)
            cache = diskcache.Cache(str(folder), timeout=_BUSY_S, disk=_BytesDisk, size_limit=max_bytes, **_SETTINGS)
        return cls(folder, cache)

    def keys(self) -> set[bytes]:
        """All keys, but no more than any store of ours can hold: a damaged index may go round in circles.

        Raises:
            DamagedStoreError, StoreError: as `get`.
        """
        with _translated(self.folder):
            return set(islice(self._cache.iterkeys(), _MAX_KEYS))

    def get(self, key: bytes) -> bytes | None:
        """The value of a key.

        Raises:
            OddEntryError: this value is none of ours.
            DamagedStoreError: the store has broken pages.
            StoreError: it cannot be read now.
        """
        with _translated(self.folder):
            value: bytes | None = self._cache.get(key)
            return value

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value, dropping the oldest ones over the limit; raises as `get`."""
        with _translated(self.folder):
            self._cache.set(key, value)

    def remove(self, key: bytes) -> None:
        """Forget a key; raises as `get`."""
        with _translated(self.folder):
            self._cache.delete(key)

    def close(self) -> None:
        """Give the database back."""
        with suppress(sqlite3.Error):
            self._cache.close()


def open_or_remake(folder: Path, max_bytes: int) -> tuple[SemanticStore, str]:
    """The store, made anew if it is damaged; and what there is to tell about that, or nothing.

    Raises:
        StoreError: it cannot be opened here, nor made.
    """
    try:
        return SemanticStore.open(folder, max_bytes), ""
    except DamagedStoreError as error:
        remove_files(folder)
        return SemanticStore.open(folder, max_bytes), f"{error}; it was removed and made anew"


def remove_files(folder: Path) -> tuple[int, int]:
    """Remove the database; answers how many files and bytes that were.

    Raises:
        StoreError: one of them cannot be removed.
    """
    n_files = n_bytes = 0
    try:
        for path in (folder / name for name in _FILES):
            if path.is_symlink() or path.is_file():
                n_bytes += path.lstat().st_size
                path.unlink()
                n_files += 1
    except OSError as error:
        raise StoreError(f"cannot remove the files in {folder}: {error.strerror or error}") from error
    return n_files, n_bytes


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Turn what diskcache raises into our errors."""
    path = folder / _NAME
    try:
        with translated_errors(path, _WHAT):
            yield
    except diskcache.Timeout as error:
        raise StoreError(f"{_WHAT} {path} cannot be written: it is locked, read-only or the disk is full") from error
    except (TypeError, ValueError, AttributeError) as error:
        # Settings and columns of other types than its own, which it takes as they are.
        raise DamagedStoreError(f"{_WHAT} {path} is damaged ({error})") from error
    except DaemonError as error:
        raise StoreError(f"{_WHAT} {path} cannot be used: {error}") from error


def _make_private_file(path: Path) -> None:
    """Create the database for its owner only; SQLite gives the files beside it the same mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    for file in (path.with_name(name) for name in _FILES):
        with suppress(FileNotFoundError):
            file.chmod(0o600)

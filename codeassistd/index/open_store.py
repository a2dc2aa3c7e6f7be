"""Opening a database of ours: private, migrated, checked, and safe against others who open it too.

`what` names it in errors: the index, or the history that `completion` keeps. A store of a newer schema is left exactly
as it is, whatever else seems to be wrong with it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from codeassistd.errors import DaemonError, StoreError
from codeassistd.index.schema import NO_MODULE, SCHEMA_VERSION, Migration
from codeassistd.paths import make_private_dir

__all__ = [
    "DamagedStoreError",
    "open_connection",
    "open_or_set_aside",
    "set_aside",
    "set_aside_file",
    "stored_version",
    "transaction",
    "translated_errors",
]

_INDEX = "the index"
_Store = TypeVar("_Store")
#: Another process may be opening or indexing too; each of its transactions is far shorter than this.
_BUSY_S = 10.0
#: Tries to switch to WAL while other processes do the same; each waits for their lock first.
_WAL_TRIES = 100
_SIDE_FILES = ("-wal", "-shm")
#: SQLITE_ERROR is here because our statements are fixed: it can only mean that the tables are not ours.
_DAMAGE_CODES = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_PRIMARY_CODE = 0xFF


class DamagedStoreError(StoreError):
    """The file is not a database of ours any more; it can be set aside."""


def open_connection(path: Path, migrations: Sequence[Migration], what: str = _INDEX) -> sqlite3.Connection:
    """The writing connection to the store at `path`, which is made or migrated as needed; see `Store.open`."""
    with translated_errors(path, what):
        make_private_dir(path.parent)
        if path.exists() and path.stat().st_size:
            _refuse_newer(path, _version_of(path), len(migrations), what)
        _make_private_file(path)
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
        try:
            _set_up(path, connection, migrations, what)
        except BaseException:
            connection.close()
            raise
    return connection


def open_or_set_aside(
    path: Path, open_store: Callable[[Path], _Store], known: int = SCHEMA_VERSION, what: str = _INDEX
) -> tuple[_Store, str]:
    """Open the store by `open_store`, setting a damaged one aside first.

    Returns:
        The store, and one line about what had to be done, or nothing.

    Raises:
        StoreError: it was written by a newer version, or no store can be made here.
    """
    seen = _inode(path)
    try:
        return open_store(path), ""
    except DamagedStoreError as error:
        # Another process may have made it anew in the meantime; that one must not be set aside.
        if _inode(path) == seen:
            set_aside(path, known, what)
        return open_store(path), f"{error}; it is set aside and made anew"


def set_aside(path: Path, known: int = SCHEMA_VERSION, what: str = _INDEX) -> None:
    """Move a damaged store out of the way, over the one that was set aside before; its log is of no use alone.

    Raises:
        StoreError: it is not damaged but newer: another version of the program has it now.
    """
    _refuse_newer(path, stored_version(path), known, what)
    with translated_errors(path, what):
        path.replace(set_aside_file(path))
        for side in _SIDE_FILES:
            path.with_name(path.name + side).unlink(missing_ok=True)


def set_aside_file(path: Path) -> Path:
    """Where the store at `path` goes once it is damaged."""
    return path.with_name(f"{path.stem}.damaged{path.suffix}")


def stored_version(path: Path) -> int:
    """The schema version of the store at `path`, without changing it; 0 where it has none."""
    try:
        return _version_of(path) if path.exists() else 0
    except (sqlite3.Error, OSError):
        return 0


@contextmanager
def translated_errors(path: Path, what: str = _INDEX) -> Iterator[None]:
    """Turn SQLite's errors into ours: damage is told from what may pass (locked, full, read-only)."""
    try:
        yield
    except sqlite3.Error as error:
        if NO_MODULE in str(error):
            # Made by a Python with another SQLite. It is as useless here as a damaged one, and made anew as easily.
            module = str(error).rpartition(" ")[2]
            raise DamagedStoreError(f"{what} {path} needs {module}, which the SQLite of this Python lacks") from error
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if code in _DAMAGE_CODES or "Could not decode to UTF-8" in str(error):
            raise DamagedStoreError(f"{what} {path} is damaged ({error})") from error
        raise StoreError(f"{what} {path} cannot be used: {error}; check the folder's space and rights") from error
    except OSError as error:
        raise StoreError(f"{what} {path} cannot be used: {error.strerror}; check the folder's rights") from error
    except DaemonError as error:
        raise StoreError(f"{what} {path} cannot be used: {error}") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Take the write lock at once, so that the waiting happens at the start or not at all."""
    connection.execute("begin immediate")
    try:
        yield
    except BaseException:
        # The error may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    connection.execute("commit")


def _set_up(path: Path, connection: sqlite3.Connection, migrations: Sequence[Migration], what: str) -> None:
    _switch_to_wal(connection)
    connection.execute("pragma synchronous = normal")
    connection.execute("pragma foreign_keys = off")
    with transaction(connection):
        version = connection.execute("pragma user_version").fetchone()[0]
        _refuse_newer(path, version, len(migrations), what)
        db = Database(connection, execute_plugins=False)
        for migrate in migrations[version:]:
            migrate(db)
        connection.execute(f"pragma user_version = {len(migrations)}")
    wrong = connection.execute("pragma quick_check(1)").fetchone()[0]
    if wrong != "ok":
        raise DamagedStoreError(f"{what} {path} is damaged ({' '.join(wrong.split())})")
    if not _fresh_columns(migrations) <= _columns(connection):
        raise DamagedStoreError(f"{what} {path} is damaged (its tables are not those of schema {len(migrations)})")


def _columns(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Every table with each of its columns."""
    tables = connection.execute("select name from sqlite_master where type = 'table'").fetchall()
    return {
        (table, column)
        for (table,) in tables
        for (column,) in connection.execute("select name from pragma_table_info(?)", [table])
    }


def _fresh_columns(migrations: Sequence[Migration]) -> set[tuple[str, str]]:
    """The columns that a store made anew would have."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for migrate in migrations:
            migrate(Database(connection, execute_plugins=False))
        return _columns(connection)
    finally:
        connection.close()


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Set the journal mode; SQLite does not wait for other openers here, so their lock is waited for by hand."""
    for left in reversed(range(_WAL_TRIES)):
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if not left or error.sqlite_errorcode & _PRIMARY_CODE != sqlite3.SQLITE_BUSY:
                raise
            with transaction(connection):
                continue
        else:
            return


def _version_of(path: Path) -> int:
    """The version number in the file, or in its log where there is one.

    `immutable` reads the file alone, with no lock and no side file; but it would not see the log.
    """
    mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    connection = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True, timeout=_BUSY_S)
    try:
        version: int = connection.execute("pragma user_version").fetchone()[0]
    finally:
        connection.close()
    return version


def _refuse_newer(path: Path, version: int, known: int, what: str) -> None:
    if version > known:
        raise StoreError(
            f"{what} {path} has schema {version}, only {known} is known here; update codeassistd or remove the file"
        )


def _make_private_file(path: Path) -> None:
    """Create the database file for its owner only; SQLite gives the files beside it the same mode.

    An existing file is not opened: closing it would drop the locks of this process's other connections.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    for file in (path, *(path.with_name(path.name + side) for side in _SIDE_FILES)):
        with suppress(FileNotFoundError):
            file.chmod(0o600)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0

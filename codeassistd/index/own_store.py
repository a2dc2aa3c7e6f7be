"""What the stores of the history and of the conversations have in common: one file, one connection, short writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import ClassVar, Self

from codeassistd.index.open_store import open_connection, open_or_set_aside, transaction, translated_errors
from codeassistd.index.schema import Migration

__all__ = ["OwnStore"]


class OwnStore:
    """A database of the user's own; made, used and closed by one thread.

    Attributes:
        what: names it in errors.
        migrations: the steps of its schema.
        path: where it lies.
    """

    what: ClassVar[str]
    migrations: ClassVar[Sequence[Migration]]

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the store at `path`, making it as needed; only its owner can read it.

        Raises:
            DamagedStoreError: it is not a database, or one with wrong tables or broken pages.
            StoreError: it was written by a newer version, or it cannot be opened here.
        """
        return cls(path, open_connection(path, cls.migrations, cls.what))

    @classmethod
    def open_or_remake(cls, path: Path) -> tuple[Self, str]:
        """Open the store, setting a damaged one aside.

        Returns:
            The store, and one line about what had to be done, or nothing.

        Raises:
            StoreError: it was written by a newer version, or no store can be made here.
        """
        return open_or_set_aside(path, cls.open, len(cls.migrations), cls.what)

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def _reading(self) -> AbstractContextManager[None]:
        return translated_errors(self.path, self.what)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._reading(), transaction(self._connection):
            yield

    def _give_space_back(self) -> None:
        """Leave nothing on the disk of what was deleted."""
        with self._reading():
            self._connection.execute("pragma wal_checkpoint(truncate)")
            self._connection.execute("vacuum")

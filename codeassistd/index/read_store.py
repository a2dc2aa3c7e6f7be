"""The reading side of the store: any thread may ask, and none ever waits for the writer."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeassistd.index.open_store import translated_errors

__all__ = ["DefinitionRow", "ReadStore"]

#: In WAL mode a reader waits only while another process recovers the log; then no answer is better than a late one.
_BUSY_S = 0.02
#: A name defined more often than this tells nothing by itself, so it does not matter which rows are seen.
_MAX_ROWS_PER_NAME = 256

_DEFINITIONS = """
select s.name, s.qualified_name, s.kind, s.signature, s.doc, s.line, f.path, f.language, f.size, f.mtime_ns
from symbols s
join files f on f.id = s.file_id
join workspaces w on w.id = f.workspace_id
where s.name = ? and w.root = ?
limit ?
"""


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """A stored definition, with the size and time that its file had when it was read."""

    name: str
    qualified_name: str
    kind: str
    signature: str
    doc: str
    line: int
    path: str
    language: str
    size: int
    mtime_ns: int


class ReadStore:
    """Read-only connections to one store, lent to one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        # Guarded by the lock. The number grows when the file was replaced, so that a connection to the old file that
        # is lent out at that moment is not taken back.
        self._idle: list[sqlite3.Connection] = []
        self._n_resets = 0

    @property
    def n_resets(self) -> int:
        """How often the file was replaced; tells trouble with an old file from trouble with this one."""
        return self._n_resets

    def definitions(self, root: Path, name: str) -> list[DefinitionRow]:
        """Definitions of `name` in the workspace at `root`, in no order.

        Raises:
            StoreError: the store cannot be read now.
        """
        with translated_errors(self._path), self._lent() as connection:
            rows = connection.execute(_DEFINITIONS, [name, str(root), _MAX_ROWS_PER_NAME]).fetchall()
        return [DefinitionRow(*row) for row in rows]

    def reset(self) -> None:
        """Close all connections: the file was replaced, or is not needed any more."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._n_resets += 1
        for connection in idle:
            connection.close()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
            n_resets = self._n_resets
        if connection is None:
            connection = sqlite3.connect(
                f"{self._path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_S, check_same_thread=False
            )
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if n_resets == self._n_resets:
                self._idle.append(connection)
                return
        connection.close()

"""The only SQL of the index: one database for all workspaces, written by one connection and read by several.

The writer belongs to the indexer's thread and makes one short transaction per file, or for a handful of files while
more wait to be read. Readers see the state before or after one, never between, and never wait for the writer (WAL).
Nothing here is precious: a store that is damaged is set aside and made anew from the disk. Only a store of a newer
schema is left exactly as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeassistd.index.counterparts import stem_of
from codeassistd.index.open_store import (
    open_connection,
    open_or_set_aside,
    transaction,
    translated_errors,
)
from codeassistd.index.parsed import Parsed
from codeassistd.index.schema import MIGRATIONS, Migration

__all__ = ["FileRow", "ReadFile", "Store", "Tally", "open_or_remake"]

#: Pages of the search index that a replaced file may cost: a few milliseconds, and far more than it adds.
_MERGED_PAGES = 64
_CHILD_TABLES = ("symbols", "refs", "imports", "chunks")

_PUT_FILE = """
insert into files (workspace_id, path, size, mtime_ns, hash, language, verdict, n_symbols, stem)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (workspace_id, path) do update set
    size = excluded.size, mtime_ns = excluded.mtime_ns, hash = excluded.hash, language = excluded.language,
    verdict = excluded.verdict, n_symbols = excluded.n_symbols, stem = excluded.stem
returning id
"""
_PUT_SYMBOLS = """
insert into symbols (file_id, name, kind, qualified_name, signature, doc,
                     span_start, span_end, name_start, name_end, line, parent, owner, bases)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PUT_REFS = "insert into refs (file_id, name, n, line) values (?, ?, ?, ?)"
_PUT_IMPORTS = "insert into imports (file_id, module, name, alias, line) values (?, ?, ?, ?, ?)"
_PUT_CHUNKS = (
    "insert into chunks (file_id, name, span_start, span_end, line, end_line, words) values (?, ?, ?, ?, ?, ?, ?)"
)
_INDEX_WORDS = "insert into chunk_words (rowid, words) select id, words from chunks where file_id = ?"
#: The search has to be told the words that it is to forget, while they are still there.
_FORGET_WORDS = (
    "insert into chunk_words (chunk_words, rowid, words) select 'delete', id, words from chunks where file_id = ?"
)
_FORGET_ALL_WORDS = "insert into chunk_words (chunk_words) values ('delete-all')"
#: What is forgotten leaves marks behind, which are gone only when its part of the search index is written anew.
_MERGE_WORDS = f"insert into chunk_words (chunk_words, rank) values ('merge', {_MERGED_PAGES})"  # noqa: S608 - a number
_CHECK_WORDS = "insert into chunk_words (chunk_words, rank) values ('integrity-check', 1)"
_HAS_SEARCH = "select exists (select 1 from sqlite_master where name = 'chunk_words' and type = 'table')"
_ORPHANS = "select count(*) from {table} where file_id not in (select id from files)"
_MISCOUNTED = "select count(*) from files f where n_symbols != (select count(*) from symbols where file_id = f.id)"


@dataclass(frozen=True, slots=True)
class FileRow:
    """What the store knows of a file: how it was on disk when it was read, and what became of it."""

    size: int
    mtime_ns: int
    hash: bytes
    language: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read, by its path in the workspace."""

    path: str
    language: str
    parsed: Parsed


@dataclass(frozen=True, slots=True)
class Tally:
    """A workspace in numbers."""

    verdicts: Mapping[str, int]
    n_symbols: int


class Store:
    """The writer; made, used and closed by one thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Store:
        """Open the store at `path`, making or migrating it as needed; only the owner can read it.

        Raises:
            DamagedStoreError: it is not a database, or one with wrong tables or broken pages.
            StoreError: it was written by a newer version, or it cannot be opened here.
        """
        return cls(path, open_connection(path, migrations))

    @property
    def schema_version(self) -> int:
        """Steps of the schema that this store has taken."""
        version: int = self._connection.execute("pragma user_version").fetchone()[0]
        return version

    @property
    def problem(self) -> str:
        """What this store cannot do and what helps, or nothing."""
        with translated_errors(self.path):
            if self._connection.execute(_HAS_SEARCH).fetchone()[0]:
                return ""
        return (
            "the SQLite of this Python has no full-text search (fts5), so alike code is not found; "
            "install codeassistd with a Python whose SQLite has it"
        )

    def close(self) -> None:
        """Give the file back; the log is merged into it."""
        self._connection.close()

    def workspace(self, root: Path) -> int:
        """The id of a workspace, known from then on."""
        with self._writing():
            self._connection.execute("insert or ignore into workspaces (root) values (?)", [str(root)])
            row = self._connection.execute("select id from workspaces where root = ?", [str(root)]).fetchone()
        return int(row[0])

    def files(self, workspace_id: int) -> dict[str, FileRow]:
        """All files of a workspace, by path."""
        with translated_errors(self.path):
            rows = self._connection.execute(
                "select path, size, mtime_ns, hash, language, verdict from files where workspace_id = ?",
                [workspace_id],
            )
            return {path: FileRow(*rest) for path, *rest in rows}

    def file(self, workspace_id: int, path: str) -> FileRow | None:
        """One file of a workspace."""
        with translated_errors(self.path):
            row = self._connection.execute(
                "select size, mtime_ns, hash, language, verdict from files where workspace_id = ? and path = ?",
                [workspace_id, path],
            ).fetchone()
        return FileRow(*row) if row else None

    def put(self, workspace_id: int, path: str, language: str, parsed: Parsed) -> None:
        """Replace everything known of a file."""
        self.put_all(workspace_id, [ReadFile(path, language, parsed)])

    def put_all(self, workspace_id: int, files: Sequence[ReadFile]) -> None:
        """Replace everything known of some files, each named once, in one transaction: all of them or none."""
        with self._writing():
            ids = [self._file_id(workspace_id, file) for file in files]
            had_words = self._delete_children(ids)
            owned = [(file_id, file.parsed) for file_id, file in zip(ids, files, strict=True)]
            write = self._connection.executemany
            write(_PUT_SYMBOLS, ((file_id, *row) for file_id, parsed in owned for row in parsed.symbols))
            write(_PUT_REFS, ((file_id, *row) for file_id, parsed in owned for row in parsed.references))
            write(_PUT_IMPORTS, ((file_id, *row) for file_id, parsed in owned for row in parsed.imports))
            write(_PUT_CHUNKS, ((file_id, *row) for file_id, parsed in owned for row in parsed.chunks))
            write(_INDEX_WORDS, ([file_id] for file_id in ids))
            if had_words:
                self._connection.execute(_MERGE_WORDS)

    def touch(self, workspace_id: int, path: str, size: int, mtime_ns: int) -> None:
        """Note a new time of a file whose content is the same."""
        with self._writing():
            self._connection.execute(
                "update files set size = ?, mtime_ns = ? where workspace_id = ? and path = ?",
                [size, mtime_ns, workspace_id, path],
            )

    def delete(self, workspace_id: int, path: str) -> None:
        """Forget a file."""
        with self._writing():
            self._delete_files("workspace_id = ? and path = ?", [workspace_id, path])

    def clear(self, workspace_id: int) -> None:
        """Forget all files of a workspace."""
        with self._writing():
            self._delete_files("workspace_id = ?", [workspace_id])

    def forget_unless_made_with(self, fingerprint: str) -> None:
        """Drop all rows if they were made by another version of the program or with other limits."""
        with self._writing():
            row = self._connection.execute("select value from meta where key = 'fingerprint'").fetchone()
            if row and row[0] == fingerprint:
                return
            self._connection.execute(_FORGET_ALL_WORDS)
            for table in (*_CHILD_TABLES, "files"):
                self._connection.execute(f"delete from {table}")  # noqa: S608 - a name of ours
            self._connection.execute("insert or replace into meta values ('fingerprint', ?)", [fingerprint])

    def tally(self, workspace_id: int) -> Tally:
        """Count a workspace's files and symbols."""
        with translated_errors(self.path):
            rows = self._connection.execute(
                "select verdict, count(*), sum(n_symbols) from files where workspace_id = ? group by verdict",
                [workspace_id],
            ).fetchall()
        return Tally({verdict: count for verdict, count, _ in rows}, sum(symbols for _, _, symbols in rows))

    def check_integrity(self) -> list[str]:
        """What is wrong with the rows, for tests and checks; reads everything."""
        with translated_errors(self.path):
            wrong = [row[0] for row in self._connection.execute("pragma integrity_check") if row[0] != "ok"]
            self._connection.execute(_CHECK_WORDS)
            for table in _CHILD_TABLES:
                count = self._connection.execute(_ORPHANS.format(table=table)).fetchone()[0]
                wrong += [f"{count} rows of {table} belong to no file"] if count else []
            count = self._connection.execute(_MISCOUNTED).fetchone()[0]
        return [*wrong, f"{count} files have another number of symbols than they say"] if count else wrong

    def _file_id(self, workspace_id: int, file: ReadFile) -> int:
        """The id of a file, whose own row is written by that."""
        parsed = file.parsed
        row = self._connection.execute(
            _PUT_FILE,
            [
                workspace_id,
                file.path,
                parsed.size,
                parsed.mtime_ns,
                parsed.hash,
                file.language,
                parsed.verdict,
                len(parsed.symbols),
                stem_of(file.path),
            ],
        ).fetchone()
        return int(row[0])

    def _delete_files(self, where: str, values: Sequence[str | int]) -> None:
        rows = self._connection.execute(f"select id from files where {where}", values)  # noqa: S608 - written here
        ids = [row[0] for row in rows]
        if self._delete_children(ids):
            self._connection.execute(_MERGE_WORDS)
        self._connection.executemany("delete from files where id = ?", ([file_id] for file_id in ids))

    def _delete_children(self, file_ids: Sequence[int]) -> bool:
        """Delete what belongs to files; returns whether any of it could be searched for."""
        n_forgotten = self._connection.executemany(_FORGET_WORDS, ([file_id] for file_id in file_ids)).rowcount
        for table in _CHILD_TABLES:
            self._connection.executemany(
                f"delete from {table} where file_id = ?",  # noqa: S608 - a name of ours
                ([file_id] for file_id in file_ids),
            )
        return n_forgotten > 0

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction that takes the write lock at once, so that it waits at its start or not at all."""
        with translated_errors(self.path), transaction(self._connection):
            yield


def open_or_remake(path: Path) -> tuple[Store, str]:
    """Open the store, setting a damaged one aside.

    Returns:
        The store, and one line about what had to be done, or nothing.

    Raises:
        StoreError: it was written by a newer version, or no store can be made here.
    """
    return open_or_set_aside(path, Store.open)

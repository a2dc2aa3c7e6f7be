"""The tables of the index, as an ordered list of steps from an empty file to the newest schema.

The number of steps a store has taken is its schema version, kept in SQLite's own `user_version`. A step is never
changed after a release: a new one is put at the end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sqlite_utils import Database

__all__ = ["MIGRATIONS", "NO_MODULE", "SCHEMA_VERSION", "Migration"]

#: What a SQLite says that was built without a module.
NO_MODULE = "no such module: "
_SEARCH = "fts5"

Migration = Callable[[Database], None]


def _first_tables(db: Database) -> None:
    """Workspaces, their files, and what is in them; `meta` holds what the rows were made with."""
    db.table("meta").create({"key": str, "value": str}, pk="key")
    db.table("workspaces").create({"id": int, "root": str}, pk="id", not_null={"root"})
    db.table("workspaces").create_index(["root"], unique=True)
    db.table("files").create(
        {
            "id": int,
            "workspace_id": int,
            "path": str,
            "size": int,
            "mtime_ns": int,
            "hash": bytes,
            "language": str,
            "verdict": str,
            "n_symbols": int,
        },
        pk="id",
        not_null={"workspace_id", "path", "size", "mtime_ns", "hash", "language", "verdict", "n_symbols"},
        foreign_keys=[("workspace_id", "workspaces", "id")],
    )
    db.table("files").create_index(["workspace_id", "path"], unique=True)
    db.table("symbols").create(
        {
            "id": int,
            "file_id": int,
            "name": str,
            "kind": str,
            "qualified_name": str,
            "signature": str,
            "doc": str,
            "span_start": int,
            "span_end": int,
            "name_start": int,
            "name_end": int,
            "line": int,
            "parent": str,
        },
        pk="id",
        foreign_keys=[("file_id", "files", "id")],
    )
    db.table("symbols").create_index(["file_id"])
    db.table("symbols").create_index(["name"])
    db.table("refs").create(
        {"id": int, "file_id": int, "name": str, "n": int, "line": int},
        pk="id",
        foreign_keys=[("file_id", "files", "id")],
    )
    db.table("refs").create_index(["file_id"])
    db.table("imports").create(
        {"id": int, "file_id": int, "module": str, "name": str, "alias": str, "line": int},
        pk="id",
        foreign_keys=[("file_id", "files", "id")],
    )
    db.table("imports").create_index(["file_id"])


def _chunks_and_members(db: Database) -> None:
    """Pieces of files with full-text search over their words; classes with their bases; names of files without tests.

    The words of a piece are stored once, in its row: the search keeps none of its own and reads them there. What the
    earlier rows lack can only be had from the files, so all of these are read again.
    """
    db.table("files").add_column("stem", str, not_null_default="")
    db.table("files").create_index(["workspace_id", "stem"])
    db.table("symbols").add_column("owner", str, not_null_default="")
    db.table("symbols").add_column("bases", str, not_null_default="")
    db.execute("create index idx_symbols_owner on symbols (owner) where owner != ''")
    db.table("refs").create_index(["name", "file_id"])
    db.table("chunks").create(
        {
            "id": int,
            "file_id": int,
            "name": str,
            "span_start": int,
            "span_end": int,
            "line": int,
            "end_line": int,
            "words": str,
        },
        pk="id",
        foreign_keys=[("file_id", "files", "id")],
    )
    db.table("chunks").create_index(["file_id"])
    _search_tables(db)
    db.execute("update files set size = -1, hash = x''")


def _search_tables(db: Database) -> None:
    """The search over the words; where this SQLite has none, views that take all that is written and hold nothing."""
    # The words come folded and cut already, in any script, so the plainest tokenizer is the right one.
    table = f"""
        create virtual table chunk_words using {_SEARCH}(words, content='chunks', content_rowid='id',
            tokenize="ascii tokenchars '_'")
    """
    try:
        db.execute(table)
    except sqlite3.OperationalError as error:
        if NO_MODULE not in str(error):
            raise
        db.execute("create view chunk_words as select 0 as rowid, '' as words, '' as chunk_words, 0 as rank where 0")
        db.execute("create trigger no_search instead of insert on chunk_words begin select 0; end")
        db.execute("create view chunk_vocabulary as select '' as term, 0 as doc where 0")
        return
    # Two segments are merged as soon as there are two: what is replaced again and again must not pile up.
    db.execute("insert into chunk_words (chunk_words, rank) values ('usermerge', 2)")
    db.execute("create virtual table chunk_vocabulary using fts5vocab('chunk_words', 'row')")


MIGRATIONS: tuple[Migration, ...] = (_first_tables, _chunks_and_members)
SCHEMA_VERSION = len(MIGRATIONS)

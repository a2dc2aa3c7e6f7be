"""The tables of the index, as an ordered list of steps from an empty file to the newest schema.

The number of steps a store has taken is its schema version, kept in SQLite's own `user_version`. A step is never
changed after a release: a new one is put at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlite_utils import Database

__all__ = ["MIGRATIONS", "SCHEMA_VERSION", "Migration"]

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


MIGRATIONS: tuple[Migration, ...] = (_first_tables,)
SCHEMA_VERSION = len(MIGRATIONS)

"""The tables of the conversations, as an ordered list of steps; a step is never changed after a release."""

from __future__ import annotations

from sqlite_utils import Database

from codeassistd.index.schema import Migration

__all__ = ["MIGRATIONS"]


def _first_tables(db: Database) -> None:
    """Conversations by workspace and name, their turns, and the full text of outputs that were cut."""
    db.table("conversations").create(
        {
            "id": int,
            "root": str,
            "session": str,
            "updated": float,
            "summary": str,
            "through": int,
            "author": str,
        },
        pk="id",
        not_null={"root", "session", "updated", "summary", "through", "author"},
    )
    db.table("conversations").create_index(["root", "session"], unique=True)
    db.table("turns").create(
        {
            "conversation": int,
            "number": int,
            "asked": str,
            "shown": str,
            "parts": str,
            "said": str,
            "said_ids": bytes,
            "model_id": str,
        },
        pk=("conversation", "number"),
        not_null={"asked", "shown", "parts", "said", "said_ids", "model_id"},
    )
    db.table("outputs").create(
        {"id": int, "conversation": int, "turn": int, "command": str, "text": str, "n_bytes": int},
        pk="id",
        not_null={"conversation", "turn", "command", "text", "n_bytes"},
    )
    db.table("outputs").create_index(["conversation", "turn"])


def _cut_answers(db: Database) -> None:
    """Whether an answer came to its end."""
    db.table("turns").add_column("is_cut", int, not_null_default=0)


MIGRATIONS: tuple[Migration, ...] = (_first_tables, _cut_answers)

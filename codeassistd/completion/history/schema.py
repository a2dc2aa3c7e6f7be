"""The one table of the history, as an ordered list of steps; a step is never changed after a release."""

from __future__ import annotations

from sqlite_utils import Database

from codeassistd.index.schema import Migration

__all__ = ["MIGRATIONS"]


def _first_table(db: Database) -> None:
    """One row for each suggestion, without any text of it."""
    db.table("suggestions").create(
        {
            "id": str,
            "shown_at": float,
            "language": str,
            "trigger": str,
            "source": str,
            "gate": str,
            "score": float,
            "situation": str,
            "mean_logprob": float,
            "min_logprob": float,
            "first_logprob": float,
            "min_margin": float,
            "n_letters": int,
            "n_lines": int,
            "fate": str,
            "taken": float,
            "kept_30s": float,
            "kept_2min": float,
            "kept_10min": float,
        },
        pk="id",
        not_null={"shown_at", "fate", "taken"},
    )
    db.table("suggestions").create_index(["shown_at"])


MIGRATIONS: tuple[Migration, ...] = (_first_table,)

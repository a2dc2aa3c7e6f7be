"""The only SQL of the history: one table, a row for each suggestion, without any text.

Any number of daemons may have it open: each write is one short transaction. A store that is damaged is set aside and
made anew; only one of a newer schema is left exactly as it is.
"""

from __future__ import annotations

from dataclasses import asdict, fields

from codeassistd.completion.evidence import Evidence, Situation
from codeassistd.completion.history.record import Check, Fate, Record
from codeassistd.completion.history.schema import MIGRATIONS
from codeassistd.index.own_store import OwnStore

__all__ = ["MAX_AGE_S", "MAX_ROWS", "HistoryStore"]

#: Some months of steady work; 3 MB.
MAX_ROWS = 20_000
MAX_AGE_S = 180 * 24 * 3600.0

_EVIDENCE = tuple(field.name for field in fields(Evidence))
_MAY_BE_UNKNOWN = frozenset(check.value for check in Check)
_OWN = tuple(field.name for field in fields(Record) if field.name != "evidence")
_COLUMNS = ", ".join((*_OWN, *_EVIDENCE))
# The names are those of our own dataclasses.
_ADD = f"insert or ignore into suggestions ({_COLUMNS}) values ({', '.join('?' * (len(_OWN) + len(_EVIDENCE)))})"  # noqa: S608 - see above
_NEWEST = f"select {_COLUMNS} from suggestions order by shown_at desc, id desc limit ?"  # noqa: S608 - see above
_PRUNE_COUNT = """
delete from suggestions where id not in (select id from suggestions order by shown_at desc, id desc limit ?)
"""


class HistoryStore(OwnStore):
    """The database; made, used and closed by one thread."""

    what = "the history"
    migrations = MIGRATIONS

    def add(self, record: Record) -> None:
        """Keep a suggestion; one that is there already stays as it is."""
        values = asdict(record)
        evidence = values.pop("evidence")
        with self._writing():
            self._connection.execute(_ADD, [*(values[name] for name in _OWN), *(evidence[name] for name in _EVIDENCE)])

    def decide(self, identity: str, fate: Fate, taken: float) -> None:
        """Note what the user did with a suggestion."""
        with self._writing():
            self._connection.execute(
                "update suggestions set fate = ?, taken = ? where id = ?", [fate.value, taken, identity]
            )

    def keep(self, identity: str, check: Check, share: float) -> None:
        """Note how much of an accepted text is still there."""
        with self._writing():
            self._connection.execute(
                f"update suggestions set {check.value} = ? where id = ?",  # noqa: S608 - a name of ours
                [share, identity],
            )

    def newest(self, limit: int = MAX_ROWS) -> list[Record]:
        """The newest suggestions, newest first."""
        with self._reading():
            rows = self._connection.execute(_NEWEST, [limit]).fetchall()
        return [record for row in rows if (record := _record(row)) is not None]

    def prune(self, now_s: float, max_rows: int = MAX_ROWS) -> None:
        """Drop what is too old or too much; `now_s` is wall time."""
        with self._writing():
            self._connection.execute("delete from suggestions where shown_at < ?", [now_s - MAX_AGE_S])
            self._connection.execute(_PRUNE_COUNT, [max_rows])

    def clear(self) -> int:
        """Drop everything, and give the space back to the disk.

        Returns:
            How many suggestions were known.
        """
        with self._writing():
            n_rows = self._connection.execute("delete from suggestions").rowcount
        self._give_space_back()
        return n_rows


def _record(row: tuple[object, ...]) -> Record | None:
    """A row as a value; None for one that no version of ours has written."""
    own = dict(zip(_OWN, row, strict=False))
    evidence = dict(zip(_EVIDENCE, row[len(_OWN) :], strict=True))
    if any(own[name] is None for name in _OWN if name not in _MAY_BE_UNKNOWN) or None in evidence.values():
        return None
    try:
        return Record(
            **{**own, "fate": Fate(str(own["fate"]))},  # type: ignore[arg-type]  # checked by the table's types
            evidence=Evidence(**{**evidence, "situation": Situation(str(evidence["situation"]))}),  # type: ignore[arg-type]
        )
    except (ValueError, TypeError):
        return None

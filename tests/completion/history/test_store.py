"""The history on disk: private, bounded, without text, and mended where it is damaged."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.completion.evidence import Evidence, Situation
from codeassistd.completion.history.record import Check, Fate
from codeassistd.completion.history.store import MAX_AGE_S, HistoryStore
from codeassistd.errors import StoreError
from tests.support.evidence import record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where it lies."""
    return tmp_path / "history" / "history.db"


@pytest.fixture
def store(path: Path) -> Iterator[HistoryStore]:
    """A fresh one."""
    with closing(HistoryStore.open(path)) as opened:
        yield opened


def test_what_is_kept_comes_back(store: HistoryStore) -> None:
    """With each later piece of news; one that is known already stays as it is."""
    evidence = Evidence(Situation.MEMBER, -0.25, -1.5, -0.5, 2.0, 7, 2)
    store.add(record("a", evidence=evidence))
    store.add(record("b", shown_at=1_750_000_001.0))
    store.add(record("a", Fate.DISMISSED))
    store.decide("a", Fate.ACCEPTED, 1.0)
    store.keep("a", Check.KEPT_2MIN, 0.75)
    store.decide("unknown", Fate.ACCEPTED, 1.0)

    assert [
        record("b", shown_at=1_750_000_001.0),
        record("a", Fate.ACCEPTED, evidence, taken=1.0, kept_2min=0.75),
    ] == store.newest()


def test_it_survives_a_restart(path: Path) -> None:
    """The rows are there for the next daemon."""
    with closing(HistoryStore.open(path)) as first:
        first.add(record("a"))
    with closing(HistoryStore.open(path)) as second:
        assert [record("a")] == second.newest()


def test_only_its_owner_can_read_it(store: HistoryStore) -> None:
    """Folder, database and the files beside it."""
    store.add(record("a"))
    files = sorted(store.path.parent.iterdir())

    assert ["history.db", "history.db-shm", "history.db-wal"] == [file.name for file in files]
    assert {0o600} == {stat.S_IMODE(file.stat().st_mode) for file in files}
    assert 0o700 == stat.S_IMODE(store.path.parent.stat().st_mode)


def test_it_is_bounded_in_age_and_number(store: HistoryStore) -> None:
    """The oldest go first."""
    now_s = 1_750_000_000.0
    for number in range(10):
        store.add(record(f"n{number}", shown_at=now_s - number))
    store.add(record("old", shown_at=now_s - MAX_AGE_S - 1))
    store.prune(now_s)
    assert [f"n{number}" for number in range(10)] == [row.id for row in store.newest()]
    store.prune(now_s, max_rows=3)
    assert ["n0", "n1", "n2"] == [row.id for row in store.newest()]


def test_clearing_leaves_nothing_behind(store: HistoryStore) -> None:
    """Neither in a row nor in a free page of the file."""
    for number in range(50):
        store.add(record(f"canary{number}"))

    assert 50 == store.clear()
    assert [] == store.newest()
    assert all(b"canary" not in file.read_bytes() for file in store.path.parent.iterdir())


@pytest.mark.parametrize("damage", [b"not a database\n" * 500, b"SQLite format 3\0" + b"\xde\xad" * 4000])
def test_a_damaged_one_is_set_aside(path: Path, damage: bytes) -> None:
    """And made anew, with one line about it; the damaged file is kept beside it."""
    path.parent.mkdir(mode=0o700)
    path.write_bytes(damage)
    opened, note = HistoryStore.open_or_remake(path)
    with closing(opened):
        opened.add(record("a"))
        assert ["a"] == [row.id for row in opened.newest()]

    assert "the history" in note
    assert "set aside and made anew" in note
    assert damage == path.with_name("history.damaged.db").read_bytes()


def test_wrong_tables_are_damage(path: Path) -> None:
    """Somebody else's database under our name."""
    path.parent.mkdir(mode=0o700)
    with closing(sqlite3.connect(path)) as other:
        other.execute("create table suggestions (id text)")
        other.execute("pragma user_version = 1")
        other.commit()

    opened, note = HistoryStore.open_or_remake(path)
    opened.close()
    assert "set aside and made anew" in note


def test_a_newer_one_is_left_alone(path: Path) -> None:
    """Another version of the program has it."""
    with closing(HistoryStore.open(path)):
        pass
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("pragma user_version = 99")
    before = path.read_bytes()

    with pytest.raises(StoreError, match=r"the history .* has schema 99, only 1 is known here"):
        HistoryStore.open_or_remake(path)
    assert before == path.read_bytes()


def test_two_daemons_may_write_at_once(path: Path) -> None:
    """An old one that finishes its sessions, and the new one."""
    with closing(HistoryStore.open(path)) as one, closing(HistoryStore.open(path)) as other:
        for number in range(20):
            (one if number % 2 else other).add(record(f"{number:02}"))
        one.decide("04", Fate.ACCEPTED, 1.0)

        assert [f"{number:02}" for number in range(20)] == sorted(row.id for row in other.newest())
        assert Fate.ACCEPTED is next(row.fate for row in other.newest() if row.id == "04")


def test_a_row_of_another_make_is_skipped(store: HistoryStore) -> None:
    """It cannot be read as one of ours, and spoils nothing."""
    store.add(record("a"))
    store.add(record("b"))
    store.add(record("c"))
    store._connection.execute("update suggestions set situation = 'elsewhere' where id = 'a'")
    store._connection.execute("update suggestions set min_margin = null where id = 'c'")

    assert ["b"] == [row.id for row in store.newest()]

"""The journal: its own thread, its own troubles, and the gate that it learns."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.completion.history.journal import Journal
from codeassistd.completion.history.record import Fate
from codeassistd.completion.history.store import HistoryStore
from codeassistd.completion.weights import CONSTANTS
from codeassistd.testing.fake_clock import FakeClock
from tests.completion.history.test_learn import history
from tests.support.evidence import record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the history lies."""
    return tmp_path / "history" / "history.db"


def fill(path: Path, n_rows: int) -> None:
    """A history from before."""
    with closing(HistoryStore.open(path)) as store:
        for row in history(n_rows):
            store.add(row)


def test_it_learns_from_what_is_there_and_forgets_it(path: Path) -> None:
    """At the start from the rows of earlier days; once they are cleared, the constants are back at once."""
    fill(path, 300)
    journal = Journal(path, FakeClock())
    journal.flush()
    learned = journal.gate
    n_forgotten = journal.clear().result()
    cleared = journal.gate
    journal.close()

    assert ("learned", 300) == (learned.name, learned.n_rows)
    assert 300 == n_forgotten
    assert ("constants", CONSTANTS) == (cleared.name, cleared.weights)


def test_it_learns_while_it_runs(path: Path) -> None:
    """Each 25 outcomes."""
    fill(path, 190)
    journal = Journal(path, FakeClock())
    journal.flush()
    before = journal.gate.name
    for number, row in enumerate(history(400)[200:225]):
        journal.add(record(f"new{number}", evidence=row.evidence))
        journal.decide(f"new{number}", row.fate, 1.0)
    journal.flush()
    after = journal.gate
    journal.close()

    assert ("constants", "learned", 215) == (before, after.name, after.n_rows)


def test_what_was_given_is_on_disk_when_it_closes(path: Path) -> None:
    """And what comes after is dropped without harm."""
    journal = Journal(path, FakeClock())
    journal.add(record("a"))
    journal.decide("a", Fate.DISMISSED, 0.0)
    journal.close()
    journal.add(record("b"))
    journal.close()

    with closing(HistoryStore.open(path)) as store:
        assert {"a": Fate.DISMISSED} == {row.id: row.fate for row in store.newest()}


def test_damage_while_running_costs_the_history_alone(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is told once, the gate goes back to its constants, and the next suggestion is kept in a new file."""
    fill(path, 300)
    journal = Journal(path, FakeClock())
    journal.flush()
    with closing(HistoryStore.open(path)) as other:
        other._connection.execute("pragma wal_checkpoint(truncate)")
        other._connection.execute("drop table suggestions")
    caplog.set_level(logging.WARNING)
    journal.add(record("lost"))
    journal.flush()
    broken = journal.problem, journal.gate.name
    journal.add(record("kept"))
    journal.flush()
    mended = journal.problem
    journal.close()

    assert "the history" in broken[0]
    assert "damaged" in broken[0]
    assert ("constants", "") == (broken[1], mended)
    assert 1 == sum("made anew" in entry.message for entry in caplog.records)
    with closing(HistoryStore.open(path)) as store:
        assert ["kept"] == [row.id for row in store.newest()]


def test_a_store_that_cannot_be_opened_is_told_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Here of a newer version: nothing is kept, everything else goes on, and the file stays as it is."""
    with closing(HistoryStore.open(path)) as newer:
        newer._connection.execute("pragma user_version = 99")
    journal = Journal(path, FakeClock())
    for number in range(5):
        journal.add(record(str(number)))
    journal.flush()
    problem = journal.problem
    journal.close()

    assert "has schema 99" in problem
    assert 1 == len(caplog.records)

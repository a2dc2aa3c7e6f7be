"""Case 58: a damaged store (the index's half; the answer cache has its own)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.index.open_store import DamagedStoreError, set_aside
from codeassistd.index.store import Store
from tests.support.indexing import running, write

pytestmark = pytest.mark.slow

N_FILES = 40
GARBAGE = b"\xde\xad\xbe\xef" * 1024


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Enough files for a database of many pages."""
    path = tmp_path / "root"
    write(path, {f"m{n}.py": "".join(f"def f{n}_{k}(argument): ...\n" for k in range(40)) for n in range(N_FILES)})
    return path


EXPECTED = {f"m{n}.py": [f"f{n}_{k}" for k in range(40)] for n in range(N_FILES)}


def overwrite_middle(store: Path) -> None:
    """4 KB in the middle of the file."""
    middle = store.stat().st_size // 2 // 4096 * 4096
    with store.open("r+b") as file:
        file.seek(middle)
        file.write(GARBAGE)


def overwrite_head(store: Path) -> None:
    """The first page, so that it is no database any more."""
    with store.open("r+b") as file:
        file.write(GARBAGE)


def cut(store: Path) -> None:
    """Half of the file is missing."""
    with store.open("r+b") as file:
        file.truncate(store.stat().st_size // 2)


def replace_by_text(store: Path) -> None:
    """Somebody's notes under our name."""
    store.write_text("not a database\n" * 1000)


@pytest.mark.parametrize("damage", [overwrite_middle, overwrite_head, cut, replace_by_text])
def test_a_damaged_store_is_set_aside_and_made_anew(
    root: Path, tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """At the next start one log line says so, everything is read again, and the old file is kept beside it."""
    with running(tmp_path / "home", root) as run:
        store = run.store
    damage(store)
    with running(tmp_path / "home", root) as run:
        assert EXPECTED == run.rows()
        assert "" == run.indexer.status().problem
        assert 1 == len(run.indexer.lookup.definitions(root, ["f3_3"], None))
    assert [True] == ["set aside and made anew" in entry.message for entry in caplog.records]
    assert store.with_name("index.damaged.db").exists()


def test_a_cut_log_costs_at_most_what_was_in_it(root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A log file that lost its end, or all of it, is no damage: the comparison brings back what is missing."""
    with running(tmp_path / "home", root) as run:
        store = run.store
        with closing(Store.open(store)) as held_open:
            write(root, {"m0.py": "def changed(): ...\n"})
            run.indexer.refresh(root)
            run.settle()
            log = store.with_name("index.db-wal").read_bytes()
            held_open.check_integrity()
    store.with_name("index.db-wal").write_bytes(log[: len(log) // 2 + 7])
    with running(tmp_path / "home", root) as run:
        assert EXPECTED | {"m0.py": ["changed"]} == run.rows()
    assert [] == [entry.message for entry in caplog.records]


def test_damage_while_running_is_met_and_mended(root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A lookup that meets damage gives an empty answer at once; the index is made anew without a restart."""
    with running(tmp_path / "home", root) as run:
        caplog.set_level(logging.WARNING)
        with closing(Store.open(run.store)) as other:
            # Merged into the file, so that the damage is not hidden behind the log.
            other._connection.execute("pragma wal_checkpoint(truncate)")
        for page in range(1, run.store.stat().st_size // 4096):
            with run.store.open("r+b") as file:
                file.seek(page * 4096)
                file.write(GARBAGE)
        run.indexer._readers.reset()
        assert [] == run.indexer.lookup.definitions(root, ["f3_3"], None)
        run.settle()
        assert EXPECTED == run.rows()
        assert 1 == len(run.indexer.lookup.definitions(root, ["f3_3"], None))
    assert 1 == sum("made anew" in entry.message for entry in caplog.records)


def test_questions_while_it_is_made_anew_make_no_more_of_it(
    root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks in the middle meets a file without tables: no answer for now, but no second damage either."""
    with running(tmp_path / "home", root) as run:
        caplog.set_level(logging.WARNING)

        def set_aside_and_ask(path: Path) -> None:
            set_aside(path)
            path.touch()
            assert [] == run.indexer.lookup.definitions(root, ["f3_3"], None)

        monkeypatch.setattr("codeassistd.index.upkeep.set_aside", set_aside_and_ask)
        run.indexer._read_failed(DamagedStoreError("the index is damaged (injected)"))
        run.settle()
        assert EXPECTED == run.rows()
        assert 1 == len(run.indexer.lookup.definitions(root, ["f3_3"], None))
    assert 1 == sum("made anew" in entry.message for entry in caplog.records)

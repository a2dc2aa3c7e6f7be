"""Case 62: a store from another version."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from codeassistd.errors import StoreError
from codeassistd.index.schema import MIGRATIONS, SCHEMA_VERSION
from codeassistd.index.store import Store
from tests.support.indexing import running, write

pytestmark = pytest.mark.slow

#: One dump per schema that was ever released, made by `.dump` of SQLite's shell.
DUMPS = Path(__file__).parent / "stores"


def index_file(home: Path) -> Path:
    """Where an indexer with this home keeps its store."""
    folder = home / "state" / "index"
    folder.mkdir(parents=True, mode=0o700)
    return folder / "index.db"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace."""
    path = tmp_path / "root"
    write(path, {"a.py": "def one(): ...\n"})
    return path


def test_there_is_a_fixture_for_every_schema() -> None:
    """Whoever adds a migration adds the dump of the schema before it, or this fails."""
    assert [f"schema-{version}.sql" for version in range(1, SCHEMA_VERSION + 1)] == sorted(
        path.name for path in DUMPS.iterdir()
    )


@pytest.mark.parametrize("dump", sorted(DUMPS.glob("*.sql")), ids=lambda path: path.stem)
@pytest.mark.parametrize("rebuilt", [False, True])
def test_stores_of_each_schema_are_brought_up_to_date(
    tmp_path: Path,
    root: Path,
    dump: Path,
    rebuilt: bool,  # noqa: FBT001 - a table's column
) -> None:
    """Opened without a manual step, also when the first thing asked for is a rebuild."""
    store = index_file(tmp_path / "home")
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(dump.read_text("utf-8"))
    with running(tmp_path / "home") as run:
        if rebuilt:
            run.indexer.rebuild(root)
        run.indexer.add_workspace(root)
        if rebuilt:
            run.indexer.rebuild(root)
        run.settle()
        status = run.indexer.status()
        assert (SCHEMA_VERSION, SCHEMA_VERSION, "") == (
            status.schema_version,
            status.known_schema_version,
            status.problem,
        )
        assert ["one"] == run.rows()["a.py"]


def test_a_migration_keeps_the_rows(tmp_path: Path, root: Path) -> None:
    """The next schema, as it may come one day: only the new step is taken."""

    def next_step(db: Database) -> None:
        db.table("symbols").add_column("weight", float)

    with running(tmp_path / "home", root) as run:
        path = run.store
    with closing(Store.open(path, [*MIGRATIONS, next_step])) as store:
        assert SCHEMA_VERSION + 1 == store.schema_version
        assert ["a.py"] == list(store.files(store.workspace(root)))
        assert [] == store.check_integrity()


def test_a_half_migrated_store_is_made_anew(tmp_path: Path, root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Tables that do not fit their version number (an index on a column that is not there) are damage."""
    store = index_file(tmp_path / "home")
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(f"create table files (id integer primary key); pragma user_version = {SCHEMA_VERSION}")
    caplog.set_level(logging.WARNING)
    with running(tmp_path / "home", root) as run:
        assert {"a.py": ["one"]} == run.rows()
    assert any("made anew" in entry.message for entry in caplog.records)


def test_a_newer_store_is_left_as_it_is(tmp_path: Path, root: Path) -> None:
    """A clear message with both versions, nothing written, and lookups that are empty instead of failing."""
    path = index_file(tmp_path / "home")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("pragma journal_mode = wal; create table future (x); pragma user_version = 99;")
    before = path.read_bytes(), sorted(file.name for file in path.parent.iterdir())
    with pytest.raises(StoreError, match=rf"has schema 99, only {SCHEMA_VERSION} is known"):
        Store.open(path)
    with running(tmp_path / "home", root) as run:
        status = run.indexer.status()
        assert (99, SCHEMA_VERSION) == (status.schema_version, status.known_schema_version)
        assert f"has schema 99, only {SCHEMA_VERSION} is known here; update codeassistd" in status.problem
        run.indexer.rebuild(root)
        run.settle()
        assert [] == run.indexer.lookup.definitions(root, ["one"], None)
    assert before == (path.read_bytes(), sorted(file.name for file in path.parent.iterdir()))

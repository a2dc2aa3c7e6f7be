"""The database: modes, versions, damage, and rows that belong together."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from codeassistd.errors import StoreError
from codeassistd.index.open_store import stored_version
from codeassistd.index.parsed import Parsed
from codeassistd.index.read_store import ReadStore
from codeassistd.index.schema import MIGRATIONS, SCHEMA_VERSION
from codeassistd.index.store import FileRow, ReadFile, Store, Tally, open_or_remake


def parsed(*names: str, verdict: str = "indexed") -> Parsed:
    """A file that defines `names`."""
    symbols = tuple((name, "function", name, f"def {name}()", "", 0, 9, 4, 8, 0, "", "", "") for name in names)
    return Parsed(10, 20, b"hash", verdict, symbols, (("used", 2, 1),), (("os", "", "", 0),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "state" / "index.db"


def test_a_file_is_replaced_whole(path: Path) -> None:
    """Rows of an earlier reading never stay beside those of a later one."""
    with closing(Store.open(path)) as store:
        workspace = store.workspace(Path("/w"))
        for _ in range(100):
            store.put(workspace, "a.py", "python", parsed("one", "two"))
        store.put(workspace, "a.py", "python", parsed("three", verdict="indexed: as cp1252"))
        assert {"a.py": FileRow(10, 20, b"hash", "python", "indexed: as cp1252")} == store.files(workspace)
        assert Tally({"indexed: as cp1252": 1}, 1) == store.tally(workspace)
        assert [] == store.check_integrity()
        with closing(sqlite3.connect(path)) as connection:
            counts = [
                connection.execute(f"select count(*) from {table}").fetchone()[0]
                for table in ("files", "symbols", "refs", "imports")
            ]
        assert [1, 1, 1, 1] == counts


def test_files_that_are_put_together_are_there_together_or_not_at_all(path: Path) -> None:
    """Each has its own rows; where one cannot be written, none is, and what was there stays."""
    with closing(Store.open(path)) as store:
        workspace = store.workspace(Path("/w"))
        both = [ReadFile("a.py", "python", parsed("one", "two")), ReadFile("b.py", "python", parsed("three"))]
        store.put_all(workspace, both)
        store.put_all(workspace, both)
        assert {"a.py", "b.py"} == set(store.files(workspace))
        assert Tally({"indexed": 2}, 3) == store.tally(workspace)
        broken = Parsed(10, 20, b"other", "indexed", symbols=(("too", "short"),))  # type: ignore[arg-type]
        with pytest.raises(StoreError):
            store.put_all(workspace, [ReadFile("a.py", "python", parsed()), ReadFile("c.py", "python", broken)])
        assert Tally({"indexed": 2}, 3) == store.tally(workspace)
        assert [] == store.check_integrity()


def test_deleting_leaves_nothing(path: Path) -> None:
    """A vanished file takes all of its rows with it."""
    with closing(Store.open(path)) as store:
        workspace = store.workspace(Path("/w"))
        store.put(workspace, "a.py", "python", parsed("one"))
        store.put(workspace, "b.py", "python", parsed("two"))
        store.delete(workspace, "a.py")
        store.delete(workspace, "never-there.py")
        assert ["b.py"] == list(store.files(workspace))
        store.clear(workspace)
        assert Tally({}, 0) == store.tally(workspace)
        assert [] == store.check_integrity()


def test_workspaces_do_not_see_each_other(path: Path) -> None:
    """Two workspaces have their own rows, and readers ask for one."""
    with closing(Store.open(path)) as store:
        one, two = store.workspace(Path("/one")), store.workspace(Path("/two"))
        store.put(one, "a.py", "python", parsed("here"))
        store.put(two, "a.py", "python", parsed("there"))
        readers = ReadStore(path)
        assert ["here"] == [row.name for row in readers.definitions(Path("/one"), ["here"])["here"]]
        assert {"there": []} == readers.definitions(Path("/one"), ["there"])
        readers.reset()


def test_readers_never_wait_for_the_writer(path: Path) -> None:
    """While the writer holds its lock, a reader sees the state before."""
    with closing(Store.open(path)) as store:
        workspace = store.workspace(Path("/w"))
        store.put(workspace, "a.py", "python", parsed("one"))
        readers = ReadStore(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("begin immediate")
            writer.execute("delete from symbols")
            assert ["one"] == [row.name for row in readers.definitions(Path("/w"), ["one"])["one"]]
            writer.execute("rollback")
        readers.reset()


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_the_owner_can_read_the_files(path: Path, umask: int) -> None:
    """Database, log and shared memory are 0600 whatever the umask; a laxer mode of before is corrected."""
    path.parent.mkdir(parents=True, mode=0o700)
    before = os.umask(umask)
    try:
        with closing(Store.open(path)) as store:
            store.workspace(Path("/w"))
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert {"index.db": 0o600, "index.db-wal": 0o600, "index.db-shm": 0o600} == modes
    path.chmod(0o644)
    Store.open(path).close()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_rows_of_another_version_are_dropped_once(path: Path) -> None:
    """A new release reads everything again, a restart of the same does not."""
    with closing(Store.open(path)) as store:
        store.forget_unless_made_with("1")
        workspace = store.workspace(Path("/w"))
        store.put(workspace, "a.py", "python", parsed("one"))
        store.forget_unless_made_with("1")
        assert ["a.py"] == list(store.files(workspace))
        store.forget_unless_made_with("2")
        assert [] == list(store.files(workspace))
        assert [] == store.check_integrity()


def test_a_migration_happens_whole_or_not_at_all(path: Path) -> None:
    """A step that fails leaves the store at the version before it."""

    def broken(db: Database) -> None:
        db.table("extra").create({"id": int})
        db.execute("select * from no_such_table")

    Store.open(path).close()
    with pytest.raises(StoreError, match="no_such_table"):
        Store.open(path, [*MIGRATIONS, broken])
    assert SCHEMA_VERSION == stored_version(path)
    with closing(Store.open(path)) as store:
        assert [] == store.check_integrity()


def test_an_unusable_place_is_one_line(tmp_path: Path) -> None:
    """A folder where the file should be, or a folder that cannot be made, gives a reason."""
    (tmp_path / "index.db").mkdir()
    with pytest.raises(StoreError, match=r"index\.db cannot be used"):
        open_or_remake(tmp_path / "index.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        open_or_remake(tmp_path / "file" / "index.db")


def test_a_store_made_by_another_sqlite_is_made_anew(tmp_path: Path) -> None:
    """One with a search that the SQLite of this Python lacks can be neither read nor written here."""
    path = tmp_path / "index.db"
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma writable_schema = on")
        connection.execute("update sqlite_master set sql = replace(sql, 'using fts5(', 'using fts_lost(')")
    store, note = open_or_remake(path)
    with closing(store):
        assert ("", []) == (store.problem, store.check_integrity())
    assert "needs fts_lost, which the SQLite of this Python lacks; it is set aside and made anew" in note

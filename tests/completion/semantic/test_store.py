"""The store on disk: bytes alone, bounded, private, and never more than a miss when it is damaged."""

from __future__ import annotations

import os
import pickle
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import diskcache
import pytest

from codeassistd.completion.semantic.entry import OddEntryError
from codeassistd.completion.semantic.store import SemanticStore, open_or_remake, remove_files
from codeassistd.errors import StoreError
from codeassistd.index.open_store import DamagedStoreError

MIB = 1 << 20


@contextmanager
def opened(folder: Path, max_bytes: int = MIB) -> Iterator[SemanticStore]:
    with closing(SemanticStore.open(folder, max_bytes)) as store:
        yield store


class Bomb:
    """Unpickling it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return os.mkdir, (str(self.path),)


def test_what_is_put_is_there_after_a_restart(tmp_path: Path) -> None:
    """Also what is longer than diskcache would keep in its database, and the newest value of a key."""
    with opened(tmp_path) as store:
        store.put(b"a", b"old")
        store.put(b"a", b"new")
        store.put(b"b", b"x" * 100_000)
        store.put(b"c", b"gone")
        store.remove(b"c")
        store.remove(b"never there")
    with opened(tmp_path) as store:
        assert {b"a", b"b"} == store.keys()
        assert (b"new", b"x" * 100_000, None) == (store.get(b"a"), store.get(b"b"), store.get(b"c"))


def test_there_are_no_files_beside_the_database(tmp_path: Path) -> None:
    """So there is no value file that could get lost."""
    with opened(tmp_path) as store:
        store.put(b"a", b"x" * 500_000)
        assert {"cache.db", "cache.db-wal", "cache.db-shm"} >= {path.name for path in tmp_path.iterdir()}


def test_it_stays_within_its_size(tmp_path: Path) -> None:
    """The oldest entries go, the newest stay, and the log is counted too."""
    with opened(tmp_path) as store:
        for number in range(3000):
            store.put(b"%d" % number, os.urandom(1000))
            n_bytes = sum(path.stat().st_size for path in tmp_path.iterdir())
            assert n_bytes < 1.5 * MIB
        assert store.get(b"0") is None
        assert store.get(b"2999") is not None
        assert len(store.keys()) > 500


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_only_the_owner_can_read_it(tmp_path: Path, umask: int) -> None:
    """Whatever the umask, and where somebody has opened the modes."""
    folder = tmp_path / "semantic"
    folder.mkdir(mode=0o755)
    before = os.umask(umask)
    try:
        with opened(folder) as store:
            store.put(b"a", b"b")
            assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
            assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
        (folder / "cache.db").chmod(0o644)
        with opened(folder) as store:
            assert 0o600 == stat.S_IMODE((folder / "cache.db").stat().st_mode)
    finally:
        os.umask(before)


def test_nothing_on_disk_is_ever_unpickled(tmp_path: Path) -> None:
    """Keys and values that somebody else has pickled, in the database and in a file beside it."""
    folder, mark = tmp_path / "semantic", tmp_path / "unpickled"
    with opened(folder) as store:
        store.put(b"good", b"value")
    with closing(diskcache.Cache(str(folder))) as other:
        other.set(("a", "key"), b"value")
        other.set(b"small", Bomb(mark))
        other.set(b"text", "text")
        other.set(b"number", 7)
        other.disk.min_file_size = 0
        other.set(b"file", Bomb(mark))
        other.set(b"large", b"bytes in a file")
    with opened(folder) as store:
        assert {b"good", b"small", b"text", b"number", b"file", b"large", b""} == store.keys()
        for key in (b"small", b"text", b"number", b"file", b"large"):
            with pytest.raises(OddEntryError):
                store.get(key)
            store.remove(key)
        assert b"value" == store.get(b"good")
    assert not mark.exists()
    # The bomb is a real one.
    pickle.loads(pickle.dumps(Bomb(mark)))
    assert mark.exists()


@pytest.mark.parametrize("content", [b"not a database\n" * 1000, b"SQLite format 3\0" + b"\xde\xad" * 5000])
def test_a_file_that_is_no_database_is_made_anew(tmp_path: Path, content: bytes) -> None:
    """With one line to tell."""
    (tmp_path / "cache.db").write_bytes(content)
    with pytest.raises(DamagedStoreError):
        SemanticStore.open(tmp_path, MIB)
    store, note = open_or_remake(tmp_path, MIB)
    with closing(store):
        store.put(b"a", b"b")
        assert b"b" == store.get(b"a")
    assert note.endswith("it was removed and made anew")
    assert "\n" not in note


def test_settings_that_make_no_sense_are_damage(tmp_path: Path) -> None:
    """Diskcache takes its settings from the database as they are."""
    with opened(tmp_path) as store:
        store.put(b"a", b"b")
    with closing(diskcache.Cache(str(tmp_path))) as other:
        other._sql("insert into Settings values ('disk_colour', 'red')")
    with pytest.raises(DamagedStoreError):
        SemanticStore.open(tmp_path, MIB)


def test_a_folder_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    """A file in its place, and a path that diskcache would read as something else."""
    (tmp_path / "semantic").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be used"):
        SemanticStore.open(tmp_path / "semantic", MIB)
    with pytest.raises(StoreError, match="would read the"):
        SemanticStore.open(tmp_path / "$HOME", MIB)


def test_remove_files_leaves_what_is_not_ours(tmp_path: Path) -> None:
    """And a second time there is nothing to remove."""
    with opened(tmp_path) as store:
        store.put(b"a", b"b")
    (tmp_path / "notes.txt").write_text("mine")
    n_files, n_bytes = remove_files(tmp_path)
    assert n_files >= 1
    assert n_bytes >= 4096
    assert ["notes.txt"] == [path.name for path in tmp_path.iterdir()]
    assert (0, 0) == remove_files(tmp_path)
    assert (0, 0) == remove_files(tmp_path / "never made")

"""How changes on disk are noticed, and what is done where they are not."""

from __future__ import annotations

import errno
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from watchdog.events import DirModifiedEvent, FileModifiedEvent, FileMovedEvent

from codeassistd.index import watcher as watcher_module
from codeassistd.index.inbox import FileTouched, FolderTouched, WatcherFailed
from codeassistd.index.mounts import Mount
from codeassistd.index.watcher import Hint, Watched, Watcher, open_events
from tests.support.indexing import PATIENCE_S, write

ROOT = Path("/w")


class FakeSource:
    """File events that a test makes up; `fails_with` is raised when folders are to be watched."""

    def __init__(self, fails_with: OSError | None = None) -> None:
        self.fails_with = fails_with
        self.folders: dict[Path, frozenset[Path]] = {}
        self.stopped = False

    def follow(self, watched: Watched) -> bool:
        """Remember what is to be watched."""
        if self.fails_with:
            raise self.fails_with
        new = watched.folders - self.folders.get(watched.root, frozenset())
        self.folders[watched.root] = watched.folders
        return bool(new)

    def forget(self, root: Path) -> None:
        """Forget it."""
        self.folders.pop(root, None)

    def stop(self) -> None:
        """End."""
        self.stopped = True


def watcher_with(source: FakeSource, mounts: tuple[Mount, ...] = ()) -> Watcher:
    """A watcher over made-up events."""
    return Watcher("auto", lambda _hint: None, lambda _sink: source, lambda: mounts)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "fs.inotify.max_user_watches"),
        (errno.EMFILE, "fs.inotify.max_user_instances"),
        (errno.EIO, "watching failed"),
    ],
)
def test_a_limit_makes_one_workspace_a_polled_one(number: int, words: str) -> None:
    """The reason and the setting to raise are said, and other workspaces keep their events."""
    source = FakeSource()
    watcher = watcher_with(source)
    assert watcher.follow(Watched(Path("/small"), frozenset({Path("/small")})))
    source.fails_with = OSError(number, "no")
    assert not watcher.follow(Watched(ROOT, frozenset({ROOT})))
    assert watcher.watching(ROOT).startswith("polling: ")
    assert words in watcher.watching(ROOT)
    assert watcher.polls(ROOT)
    assert not watcher.wants_folders(ROOT)
    assert "events" == watcher.watching(Path("/small"))
    assert {Path("/small")} == set(source.folders)


def test_a_source_that_cannot_be_opened_means_polling() -> None:
    """The limit of instances shows when the watcher is started, not when a folder is added."""

    def refuse(_sink: Callable[[Hint], None]) -> FakeSource:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    watcher = Watcher("auto", lambda _hint: None, refuse, lambda: ())
    assert not watcher.follow(Watched(ROOT, frozenset({ROOT})))
    assert "max_user_instances" in watcher.watching(ROOT)


def test_a_network_mount_means_polling() -> None:
    """Where no events come, none are waited for, and the kind of the file system is said."""
    watcher = watcher_with(FakeSource(), (Mount("/", "ext4", ""), Mount("/w", "nfs4", "")))
    assert not watcher.wants_folders(ROOT)
    assert "polling: no change events on a nfs4 file system" == watcher.watching(ROOT)
    assert watcher.wants_folders(Path("/x"))


@pytest.mark.parametrize(("mode", "said"), [("off", "off"), ("poll", "polling: as set by index.watch")])
def test_events_can_be_turned_off(mode: str, said: str) -> None:
    """The setting wins, and is named."""
    watcher = Watcher(mode, lambda _hint: None)  # type: ignore[arg-type]  # a table's column
    assert not watcher.wants_folders(ROOT)
    assert said == watcher.watching(ROOT)


def test_a_watcher_that_keeps_dying_is_given_up() -> None:
    """Twice it is started again, the third time in a row polling takes over; failures far apart do not add up."""
    sources: list[FakeSource] = []

    def open_fake(_sink: Callable[[Hint], None]) -> FakeSource:
        sources.append(FakeSource())
        return sources[-1]

    watcher = Watcher("auto", lambda _hint: None, open_fake, lambda: ())
    for at_s in (1000.0, 2000.0, 2010.0, 2020.0):
        assert "events" == watcher.watching(ROOT)
        assert watcher.follow(Watched(ROOT, frozenset({ROOT})))
        watcher.restart("the watcher ended", at_s)
    assert 4 == len(sources)
    assert all(source.stopped for source in sources)
    assert "polling: the watcher ended (3 times)" == watcher.watching(ROOT)


@contextmanager
def listening() -> Iterator[tuple[watcher_module.EventSource, queue.Queue[Hint]]]:
    """Real events of this system."""
    hints: queue.Queue[Hint] = queue.Queue()
    source = open_events(hints.put)
    try:
        yield source, hints
    finally:
        source.stop()


def wait_for(hints: queue.Queue[Hint], wanted: Hint) -> None:
    """Take hints until the wanted one comes."""
    while hints.get(timeout=PATIENCE_S) != wanted:
        pass


def test_real_events_say_where_to_look(tmp_path: Path) -> None:
    """A saved file, a renamed one, a new folder and a marker outside the tree are reported; other files are not."""
    root, outside = tmp_path / "root", tmp_path / "gitdir"
    write(root, {"a.py": "", "built/b.py": ""})
    write(outside, {"HEAD": "", "index": ""})
    with listening() as (source, hints):
        assert source.follow(Watched(root, frozenset({root}), frozenset({outside / "HEAD"})))
        assert not source.follow(Watched(root, frozenset({root}), frozenset({outside / "HEAD"})))
        (root / "a.py").write_text("x = 1\n")
        wait_for(hints, FileTouched(root / "a.py"))
        (root / "a.py").rename(root / "c.py")
        wait_for(hints, FileTouched(root / "c.py"))
        (root / "built" / "b.py").write_text("x = 1\n")
        (outside / "index").write_text("x")
        (outside / "HEAD").write_text("x")
        wait_for(hints, FolderTouched(outside / "HEAD"))
        (root / "new").mkdir()
        while (hint := hints.get(timeout=PATIENCE_S)) != FolderTouched(root):
            assert hint not in {FileTouched(root / "built" / "b.py"), FileTouched(outside / "index")}


def test_a_folder_that_was_made_again_is_watched_again(tmp_path: Path) -> None:
    """The system drops the watch of a deleted folder; one of the same name is another folder."""
    sub = tmp_path / "sub"
    sub.mkdir()
    watched = Watched(tmp_path, frozenset({tmp_path, sub}))
    with listening() as (source, hints):
        source.follow(watched)
        sub.rmdir()
        wait_for(hints, FolderTouched(tmp_path))
        sub.mkdir()
        wait_for(hints, FolderTouched(tmp_path))
        source.follow(watched)
        (sub / "a.py").write_text("")
        wait_for(hints, FileTouched(sub / "a.py"))


def test_folders_that_change_names_are_told_apart(tmp_path: Path) -> None:
    """Two that swap their names, and one that had both names while it was moved: hints have the names of now."""
    one, two, three = tmp_path / "one", tmp_path / "two", tmp_path / "three"
    one.mkdir()
    two.mkdir()
    with listening() as (source, hints):
        source.follow(Watched(tmp_path, frozenset({tmp_path, one, two})))
        one.rename(three)
        two.rename(one)
        three.rename(two)
        source.follow(Watched(tmp_path, frozenset({tmp_path, one, two})))
        (one / "a.py").write_text("")
        wait_for(hints, FileTouched(one / "a.py"))
        one.rename(three)
        # As it is seen when git has listed the old name, and the disk the new one.
        source.follow(Watched(tmp_path, frozenset({tmp_path, one, two, three})))
        source.follow(Watched(tmp_path, frozenset({tmp_path, two, three})))
        (three / "b.py").write_text("")
        wait_for(hints, FileTouched(three / "b.py"))


def test_two_workspaces_may_share_folders(tmp_path: Path) -> None:
    """One workspace inside another: forgetting one leaves the other its events."""
    sub = tmp_path / "sub"
    sub.mkdir()
    with listening() as (source, hints):
        source.follow(Watched(tmp_path, frozenset({tmp_path, sub})))
        source.follow(Watched(sub, frozenset({sub})))
        source.forget(sub)
        (sub / "a.py").write_text("")
        wait_for(hints, FileTouched(sub / "a.py"))


def test_a_folder_that_is_gone_before_it_is_watched_is_no_error(tmp_path: Path) -> None:
    """Folders come and go while they are listed."""
    with listening() as (source, _):
        assert not source.follow(Watched(tmp_path, frozenset({tmp_path / "gone"})))


def test_a_death_of_the_thread_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside the watcher thread becomes an event; stopping on purpose does not."""
    with listening() as (source, hints):
        source.follow(Watched(tmp_path, frozenset({tmp_path})))

        def broken(_event: object) -> None:
            raise RuntimeError("injected")

        monkeypatch.setattr(source, "handle_event", broken)
        (tmp_path / "a.py").write_text("")
        wait_for(hints, WatcherFailed("the watcher ended (RuntimeError)"))
    assert hints.empty()


def test_systems_that_watch_trees_drop_what_is_ignored(tmp_path: Path) -> None:
    """On macOS and Windows events of the whole tree come; those from folders that are not followed are dropped."""
    hints: list[Hint] = []
    source = watcher_module._TreeEvents(hints.append)
    try:
        write(tmp_path, {"a.py": "", "built/b.py": ""})
        assert source.follow(Watched(tmp_path, frozenset({tmp_path}), frozenset({tmp_path / ".git" / "HEAD"})))
        assert not source.follow(Watched(tmp_path, frozenset({tmp_path}), frozenset({tmp_path / ".git" / "HEAD"})))
        hints.clear()
        source.on_any_event(FileModifiedEvent(str(tmp_path / "built" / "b.py")))
        source.on_any_event(FileMovedEvent(str(tmp_path / "a.py"), str(tmp_path / "c.py")))
        source.on_any_event(DirModifiedEvent(str(tmp_path / "built")))
        source.on_any_event(FileModifiedEvent(str(tmp_path / ".git" / "HEAD")))
        expected = [
            FileTouched(tmp_path / "a.py"),
            FileTouched(tmp_path / "c.py"),
            FolderTouched(tmp_path),
            FolderTouched(tmp_path / ".git" / "HEAD"),
        ]
        assert expected == hints
        source.forget(tmp_path)
        source.on_any_event(FileModifiedEvent(str(tmp_path / "a.py")))
        assert expected == hints
    finally:
        source.stop()

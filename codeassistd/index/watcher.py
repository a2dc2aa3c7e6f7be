"""The one door for disk events: hints that something may have changed, and what to do where none come.

Events are never trusted for what happened, only for where to look. On Linux one inotify instance watches the folders
that hold files we index, and no ignored ones, since watches are a scarce resource of the whole machine; on macOS and
Windows the system watches a whole tree at no cost per folder. Where watching fails (limits, network mounts, a thread
that keeps dying) the workspace is compared with the disk at intervals instead, and `watching` says so and why.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from codeassistd.index.inbox import FileTouched, FolderTouched, WatcherFailed
from codeassistd.index.mounts import Mount, foreign_mount, mounts

if sys.platform == "linux":
    from watchdog.observers.inotify_c import (
        CallbackId,
        InotifyConstants,
        InotifyEvent,
        InotifyFD,
        Mask,
        WatchDescriptor,
    )

__all__ = ["EventSource", "Hint", "Watched", "Watcher", "open_events"]

Hint: TypeAlias = FileTouched | FolderTouched | WatcherFailed
Sink: TypeAlias = Callable[[Hint], None]

#: A watcher that dies so often without a quiet time between is not started again.
_MAX_FAILURES = 3
_QUIET_S = 60.0
_LIMITS = {
    errno.ENOSPC: ("the system's limit of watched folders is reached", "fs.inotify.max_user_watches"),
    errno.EMFILE: ("the system's limit of watchers is reached", "fs.inotify.max_user_instances"),
}


@dataclass(frozen=True, slots=True)
class Watched:
    """What to watch for one workspace.

    Attributes:
        folders: absolute folders in which a file could appear or change.
        markers: single files outside of them that decide about the workspace's files.
    """

    root: Path
    folders: frozenset[Path]
    markers: frozenset[Path] = frozenset()


class EventSource(Protocol):
    """A system's file events; reports into the sink it was made with, from a thread of its own."""

    def follow(self, watched: Watched) -> bool:
        """Watch these folders for a workspace and no others any more.

        Returns:
            Whether a folder is watched that was not before, so that changes in it may have been missed.

        Raises:
            OSError: a limit of the system is reached.
        """

    def forget(self, root: Path) -> None:
        """Watch nothing for this workspace any more."""

    def stop(self) -> None:
        """End the thread and give all watches back."""


class Watcher:
    """Decides for each workspace how its changes are seen; used by the indexer's thread only."""

    def __init__(
        self,
        mode: Literal["auto", "poll", "off"],
        sink: Sink,
        open_source: Callable[[Sink], EventSource] | None = None,
        mount_table: Callable[[], tuple[Mount, ...]] = mounts,
    ) -> None:
        self._mode = mode
        self._sink = sink
        self._open_source = open_source or open_events
        self._mount_table = mount_table
        self._source: EventSource | None = None
        self._reasons_to_poll: dict[Path, str] = {}
        self._followed: set[Path] = set()
        self._n_failures = 0
        self._failed_s = 0.0
        self._hopeless = ""

    def wants_folders(self, root: Path) -> bool:
        """Whether `follow` would watch anything, so that it is worth listing the folders."""
        if self._mode != "auto" or self._hopeless or root in self._reasons_to_poll:
            return False
        if root not in self._followed and (kind := foreign_mount(root, self._mount_table())):
            self._reasons_to_poll[root] = f"no change events on a {kind} file system"
            return False
        return True

    def follow(self, watched: Watched) -> bool:
        """Watch a workspace; see `EventSource.follow`. A limit that is reached makes the workspace a polled one."""
        try:
            if self._source is None:
                self._source = self._open_source(self._sink)
            self._followed.add(watched.root)
            return self._source.follow(watched)
        except OSError as error:
            self._reasons_to_poll[watched.root] = _why(error)
            if self._source is not None:
                self._source.forget(watched.root)
            return False

    def forget(self, root: Path) -> None:
        """Stop watching a workspace."""
        self._reasons_to_poll.pop(root, None)
        self._followed.discard(root)
        if self._source is not None:
            self._source.forget(root)

    def restart(self, reason: str, now_s: float) -> None:
        """Give up the present source after a failure; the next `follow` opens a new one, unless it fails too often."""
        self._n_failures = self._n_failures + 1 if now_s - self._failed_s < _QUIET_S else 1
        self._failed_s = now_s
        self.stop()
        if self._n_failures >= _MAX_FAILURES:
            self._hopeless = f"{reason} ({self._n_failures} times)"

    def polls(self, root: Path) -> bool:
        """Whether the workspace must be compared with the disk at intervals."""
        return self.watching(root).startswith("polling")

    def watching(self, root: Path) -> str:
        """How the workspace's changes are seen, in the words of `WorkspaceStatus.watching`."""
        if self._mode == "off":
            return "off"
        if self._mode == "poll":
            return "polling: as set by index.watch"
        why = self._hopeless or self._reasons_to_poll.get(root, "")
        return f"polling: {why}" if why else "events"

    def stop(self) -> None:
        """Stop watching everything."""
        source, self._source = self._source, None
        self._followed.clear()
        if source is not None:
            source.stop()


def open_events(sink: Sink) -> EventSource:
    """Start listening to this system's file events.

    Raises:
        OSError: a limit of the system is reached.
    """
    if sys.platform != "linux":
        return _TreeEvents(sink)
    events = _InotifyEvents(sink)
    events.start()
    return events


def _why(error: OSError) -> str:
    """Why there are no events, with the setting to raise where there is one."""
    if error.errno not in _LIMITS:
        return f"watching failed ({error.strerror or error})"
    limit, name = _LIMITS[error.errno]
    now = _sysctl(name)
    return f"{limit}; raise {name}{f' (now {now})' if now else ''}"


def _sysctl(name: str) -> str:
    try:
        return Path("/proc/sys", *name.split(".")).read_text("ascii").strip()
    except OSError:
        return ""


if sys.platform == "linux":
    _CHANGES = Mask(
        InotifyConstants.IN_CREATE
        | InotifyConstants.IN_CLOSE_WRITE
        | InotifyConstants.IN_ATTRIB
        | InotifyConstants.IN_DELETE
        | InotifyConstants.IN_MOVED_FROM
        | InotifyConstants.IN_MOVED_TO
        | InotifyConstants.IN_ONLYDIR
        | InotifyConstants.IN_DONT_FOLLOW
    )
    _Identity = tuple[int, int]
    _PASSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES})

    @dataclass(slots=True)
    class _Folder:
        """The callback of one watched folder.

        Attributes:
            names: limits it to some of its entries, if there are any.
            identity: tells the folder from another that has its name later.
        """

        path: Path
        sink: Sink
        names: frozenset[str]
        identity: _Identity | None = None
        wd: WatchDescriptor = field(default_factory=lambda: WatchDescriptor(-1))
        lost: bool = False

        def on_event(self, event: InotifyEvent) -> None:
            """Pass on where to look."""
            name = os.fsdecode(event.name)
            if self.names:
                if name in self.names:
                    self.sink(FolderTouched(self.path / name))
            elif event.is_directory or not name:
                # Its path may be an old one by now, if the folder was moved; whoever looks sees the disk anyway.
                self.sink(FolderTouched(self.path))
            else:
                self.sink(FileTouched(self.path / name))

        def on_watch_deleted(self, wd: WatchDescriptor) -> None:
            """The folder is gone, which its parent's watch reports; if it was made again, it is watched again."""
            del wd
            self.lost = True

        def on_queue_overflow(self) -> None:
            """Reported once for all folders by `_InotifyEvents.handle_event`."""

    class _InotifyEvents(InotifyFD):
        """One inotify instance for all workspaces, with one watch for each folder that is worth one."""

        def __init__(self, sink: Sink) -> None:
            super().__init__()
            self._sink = sink
            # By workspace and folder; only the indexer's thread looks at it.
            self._watches: dict[Path, dict[Path, _Folder]] = {}
            self._died_reading = False

        def follow(self, watched: Watched) -> bool:
            """See `EventSource.follow`."""
            watches = self._watches.setdefault(watched.root, {})
            names: dict[Path, frozenset[str]] = dict.fromkeys(watched.folders, frozenset())
            for marker in watched.markers:
                if marker.parent not in watched.folders:
                    names[marker.parent] = names.get(marker.parent, frozenset()) | {marker.name}
            # A watch stays with its folder when that is moved, so names alone do not tell what is watched.
            known = list(watches.items())
            gone = [watches.pop(path) for path, folder in known if path not in names or not _is_at(folder, path)]
            self._remove(watched.root, gone)
            new = [_Folder(path, self._sink, wanted) for path, wanted in names.items() if path not in watches]
            watches.update({folder.path: folder for folder in new if self._add(watched.root, folder)})
            return any(folder.path in watches for folder in new)

        def forget(self, root: Path) -> None:
            """See `EventSource.forget`."""
            self._remove(root, self._watches.pop(root, {}).values())

        def stop(self) -> None:
            """See `EventSource.stop`."""
            super().stop()
            self.join()
            if self._died_reading:
                # The library leaves its files for the reading thread to close.
                self._close_resources()

        def run(self) -> None:
            """Read events until stopped; whatever ends this early is reported, never silent."""
            reason = "the watcher ended"
            try:
                super().run()
            except Exception as error:  # noqa: BLE001 - the one guard of this thread: its death must be known
                reason = f"the watcher ended ({type(error).__name__})"
                self._died_reading = self._is_reading
            if self.should_keep_running():
                self._sink(WatcherFailed(reason))

        def handle_event(self, event: InotifyEvent) -> None:
            """Pass an event to its folder; an overflow concerns all of them, and is reported once."""
            if event.is_queue_overflow:
                self._sink(WatcherFailed("the queue of file events overflowed"))
            else:
                super().handle_event(event)

        def _add(self, root: Path, folder: _Folder) -> bool:
            """Watch one folder; False where it has vanished or is not ours to read."""
            if not os.access(folder.path, os.R_OK):
                return False
            try:
                folder.identity = _identity(folder.path)
                folder.wd = self.add_callback(os.fsencode(folder.path), _CHANGES, folder, self._id(root, folder.path))
            except OSError as error:
                if error.errno in _PASSING:
                    return False
                raise
            return True

        def _remove(self, root: Path, folders: Iterable[_Folder]) -> None:
            """Give back the watches of folders that are still there."""
            self.remove_callbacks([(folder.wd, self._id(root, folder.path)) for folder in folders if not folder.lost])

        @staticmethod
        def _id(root: Path, path: Path) -> CallbackId:
            """Of one watch: workspaces may lie inside each other, and a folder that is being moved has two names."""
            return CallbackId(hash((root, path)))

    def _is_at(folder: _Folder, path: Path) -> bool:
        """Whether what is watched for a name is what has this name now."""
        return not folder.lost and folder.identity == _identity(path)

    def _identity(path: Path) -> _Identity | None:
        try:
            info = path.lstat()
        except OSError:
            return None
        return info.st_dev, info.st_ino


class _TreeEvents(FileSystemEventHandler):
    """The events of systems that watch a whole tree at once; those from ignored folders are dropped here."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._observer = Observer()
        self._watched: dict[Path, Watched] = {}
        self._observer.start()

    def follow(self, watched: Watched) -> bool:
        """See `EventSource.follow`."""
        known = watched.root in self._watched
        # Replaced whole, never changed: the observer's thread reads it at the same time.
        self._watched = {**self._watched, watched.root: watched}
        if not known:
            self._observer.schedule(self, str(watched.root), recursive=True)
        return not known

    def forget(self, root: Path) -> None:
        """See `EventSource.forget`."""
        self._watched = {known: watched for known, watched in self._watched.items() if known != root}
        self._observer.unschedule_all()
        for watched in self._watched.values():
            self._observer.schedule(self, str(watched.root), recursive=True)

    def stop(self) -> None:
        """See `EventSource.stop`."""
        self._observer.stop()
        self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Pass on where to look."""
        paths = [Path(os.fsdecode(raw)) for raw in (event.src_path, event.dest_path) if raw]
        for path in paths:
            if any(path in watched.markers for watched in self._watched.values()):
                self._sink(FolderTouched(path))
            elif any(path.parent in watched.folders for watched in self._watched.values()):
                self._sink(FolderTouched(path.parent) if event.is_directory else FileTouched(path))

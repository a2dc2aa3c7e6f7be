"""The indexer: one thread that keeps the rows of all open workspaces equal to the disk.

The thread is the only writer of the store. Other threads put events into its inbox and read the last published status;
a completion never waits for it. Each turn of the loop takes one event, then does what is due.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.config import IndexSettings
from codeassistd.errors import CodeassistdError, StoreError
from codeassistd.index.ignore import survey
from codeassistd.index.inbox import (
    Event,
    FileTouched,
    Inbox,
    RebuildAsked,
    RefreshAsked,
    StopAsked,
    StoreFailed,
    WatcherFailed,
    WorkspaceAdded,
    WorkspaceRemoved,
)
from codeassistd.index.lookup import StoreLookup
from codeassistd.index.mounts import Mount, mounts
from codeassistd.index.open_store import DamagedStoreError
from codeassistd.index.overlay import Overlay
from codeassistd.index.parsed import Limits
from codeassistd.index.read_store import ReadStore
from codeassistd.index.schema import SCHEMA_VERSION
from codeassistd.index.surveyor import LookAt, Surveyor
from codeassistd.index.types import IndexLookup, IndexStatus
from codeassistd.index.upkeep import Upkeep
from codeassistd.index.watcher import EventSource, Sink, Watcher, open_events
from codeassistd.index.worker import EXTRACTOR
from codeassistd.index.workers import WorkerPool
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = ["Indexer"]

_log = logging.getLogger(__name__)

_STORE_NAME = "index.db"
_MAX_WORKERS = 4


class Indexer:
    """The index of the open workspaces; every method may be called from any thread and returns at once.

    `add_workspace` and `remove_workspace` count windows: a workspace is kept up while one window has it open. When it
    is closed its rows stay on disk, out of reach, so that the next start reads only what changed.
    """

    def __init__(
        self,
        paths: Paths,
        settings: IndexSettings,
        clock: Clock,
        on_change: Callable[[], None],
        *,
        extractor: str = EXTRACTOR,
        open_source: Callable[[Sink], EventSource] = open_events,
        mount_table: Callable[[], tuple[Mount, ...]] = mounts,
        look_at: LookAt = survey,
    ) -> None:
        """Prepare an indexer; `start` runs it.

        Args:
            paths: the store lies in `index_dir`; all folders of ours are left out of every workspace.
            settings: limits and how to watch.
            clock: for limits, quiet times and polls.
            on_change: called on the indexer's thread when `status` gives something new.
            extractor: `module:function` that parses in the workers.
            open_source: starts listening to file events.
            mount_table: the mounted file systems.
            look_at: surveys a workspace.
        """
        self._clock = clock
        self._on_change = on_change
        self._inbox = Inbox()
        self._status = IndexStatus(0, SCHEMA_VERSION)
        self._roots: frozenset[Path] = frozenset()
        self._thread: threading.Thread | None = None
        store_path = paths.index_dir / _STORE_NAME
        self._readers = ReadStore(store_path)
        self._overlay = Overlay()
        self._lookup = StoreLookup(
            self._readers,
            _language_of,
            is_open=lambda root: root in self._roots,
            on_stale=self.file_changed,
            on_failure=self._read_failed,
            overlay=self._overlay,
        )
        own_folders = (paths.config_dir, paths.data_dir, paths.state_dir, paths.cache_dir, paths.runtime_dir)
        limits = Limits(settings.max_file_bytes, settings.max_line_bytes, settings.parse_timeout_s)
        self._upkeep = Upkeep(
            store_path=store_path,
            readers=self._readers,
            limits=limits,
            poll_s=settings.poll_s,
            clock=clock,
            pool=WorkerPool(limits, _n_workers(), clock, self._inbox.put, extractor),
            watcher=Watcher(settings.watch, self._inbox.put, open_source, mount_table),
            surveyor=Surveyor(_language_of, own_folders, self._inbox.put, look_at),
            language_of=_language_of,
            mount_table=mount_table,
        )

    def start(self) -> None:
        """Open the store and begin to work, on a thread of its own."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="codeassistd-index", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread and its workers, and wait for that; what was not read yet is read at the next start."""
        if self._thread is not None:
            self._inbox.put(StopAsked())
            self._thread.join()
            self._thread = None

    def add_workspace(self, root: Path) -> None:
        """Index `root` and keep it up."""
        self._inbox.put(WorkspaceAdded(_absolute(root)))

    def remove_workspace(self, root: Path) -> None:
        """Undo one `add_workspace`; after the last one nothing of the workspace can be looked up."""
        self._inbox.put(WorkspaceRemoved(_absolute(root)))

    def file_changed(self, path: Path) -> None:
        """A file may have changed on disk, say an editor saved it."""
        self._inbox.put(FileTouched(_absolute(path)))

    def refresh(self, root: Path) -> None:
        """Compare a workspace with the disk."""
        self._inbox.put(RefreshAsked(_absolute(root)))

    def rebuild(self, root: Path) -> None:
        """Forget a workspace's rows and read all of it again."""
        self._inbox.put(RebuildAsked(_absolute(root)))

    def status(self) -> IndexStatus:
        """How the index stands."""
        return self._status

    @property
    def lookup(self) -> IndexLookup:
        """What the context builder may ask."""
        return self._lookup

    @property
    def overlay(self) -> Overlay:
        """The open documents, which count in place of their files."""
        return self._overlay

    def wait_idle(self, timeout_s: float, root: Path | None = None) -> bool:
        """Wait until everything asked for so far is done; False if that takes longer than `timeout_s`.

        Args:
            timeout_s: how long to wait.
            root: the one workspace to wait for, if not for all.
        """
        return self._inbox.wait_until_resting(timeout_s, root and _absolute(root))

    def _run(self) -> None:
        """The indexer's thread."""
        self._upkeep.open()
        try:
            event: Event | None = None
            while not isinstance(event, StopAsked):
                self._guarded(partial(self._turn, event))
                self._guarded(self._publish)
                due_s = self._upkeep.next_due_s()
                timeout_s = None if due_s is None else max(0.0, due_s - self._clock.monotonic_s())
                event = self._inbox.get(timeout_s, busy=self._upkeep.busy)
        finally:
            self._upkeep.close()
            self._roots = frozenset()
            self._inbox.close()

    def _turn(self, event: Event | None) -> None:
        """Take in one event and do what is due."""
        if event is not None:
            self._upkeep.handle(event)
        if isinstance(event, WatcherFailed):
            # Told even where it is put right in this very turn: starting to watch anew may take long.
            self._publish()
        self._upkeep.work()

    def _guarded(self, action: Callable[[], None]) -> None:
        """Do `action`; a failure is put right or said, and never ends the thread."""
        try:
            action()
        except Exception as error:  # noqa: BLE001 - the one guard of this thread
            self._recover(error)

    def _recover(self, error: Exception) -> None:
        try:
            self._upkeep.recover(error)
        except CodeassistdError as second:
            _log.error("%s", second)

    def _publish(self) -> None:
        """Let other threads see how things stand, and tell the owner if that is news."""
        self._roots = self._upkeep.roots
        status = self._upkeep.status()
        if status is not None and status != self._status:
            self._status = status
            self._on_change()

    def _read_failed(self, error: StoreError) -> None:
        damaged = isinstance(error, DamagedStoreError)
        self._inbox.put(StoreFailed(str(error), damaged, self._readers.n_resets))


def _language_of(path: str) -> str | None:
    language = Languages.default().by_path(path)
    return language.name if language else None


def _absolute(path: Path) -> Path:
    """`path` as editors name it: absolute, but with its links as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links


def _n_workers() -> int:
    """One for each processor, up to four.

    They yield to everything else by their priority. Leaving processors free would help the model little: its threads
    wait for each other, so one that shares its processor slows all of them down, and then for twice as long.
    """
    return min(_MAX_WORKERS, os.cpu_count() or 1)

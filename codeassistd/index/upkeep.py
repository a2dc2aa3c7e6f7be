"""What the indexer's thread does with each event and between them; everything here belongs to that thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from codeassistd import __version__
from codeassistd.clock import Clock
from codeassistd.errors import CodeassistdError, StoreError
from codeassistd.index.ignore import IGNORE_FILE, LanguageOf
from codeassistd.index.inbox import (
    Event,
    FileTouched,
    FolderTouched,
    RebuildAsked,
    RefreshAsked,
    StoreFailed,
    SurveyEnded,
    WatcherFailed,
    WorkerEnded,
    WorkerSpoke,
    WorkspaceAdded,
    WorkspaceRemoved,
)
from codeassistd.index.mounts import Mount, foreign_mount
from codeassistd.index.open_store import DamagedStoreError, set_aside, stored_version
from codeassistd.index.parsed import Job, Limits
from codeassistd.index.read_store import ReadStore
from codeassistd.index.reconcile import Reconciler
from codeassistd.index.schema import SCHEMA_VERSION
from codeassistd.index.store import Store, open_or_remake
from codeassistd.index.surveyor import Surveyor
from codeassistd.index.types import IndexStatus, WorkspaceStatus
from codeassistd.index.watcher import Watcher
from codeassistd.index.workers import Result, WorkerPool
from codeassistd.index.workspace import Workspace

__all__ = ["Upkeep"]

_log = logging.getLogger(__name__)

#: After an error that may pass (disk full, store locked) the disk is compared again.
_RETRY_S = 10.0
#: Idle workers hold memory, and starting one takes a third of a second.
_KEEP_WORKERS_S = 30.0
#: Progress is told no more often than an eye can follow.
_PROGRESS_S = 0.2


class Upkeep:
    """The open workspaces and all that keeps their rows true."""

    def __init__(
        self,
        *,
        store_path: Path,
        readers: ReadStore,
        limits: Limits,
        poll_s: float,
        clock: Clock,
        pool: WorkerPool,
        watcher: Watcher,
        surveyor: Surveyor,
        language_of: LanguageOf,
        mount_table: Callable[[], tuple[Mount, ...]],
    ) -> None:
        self._path = store_path
        self._readers = readers
        self._limits = limits
        self._poll_s = poll_s
        self._clock = clock
        self._pool = pool
        self._watcher = watcher
        self._surveyor = surveyor
        self._language_of = language_of
        self._mount_table = mount_table
        self._reconciler: Reconciler | None = None
        self._problem = ""
        self._workspaces: dict[Path, Workspace] = {}
        self._idle_since_s: float | None = None
        self._told_s = 0.0
        self._told_news: tuple[str, ...] = ()

    @property
    def roots(self) -> frozenset[Path]:
        """The workspaces that can be asked about: the open ones, while there is a store."""
        return frozenset(self._workspaces) if self._reconciler else frozenset()

    @property
    def busy(self) -> frozenset[Path]:
        """The workspaces for which something is left to do, closed ones while workers still read their files."""
        if self._reconciler is None or self._pool.broken:
            return frozenset()
        return self._pool.roots.union(root for root, workspace in self._workspaces.items() if workspace.is_busy)

    def open(self) -> None:
        """Open the store, or note why it cannot be opened: then the index stays empty and says so."""
        try:
            store = self._opened_store()
        except CodeassistdError as error:
            self._problem = str(error)
            _log.error("%s", error)
            return
        self._problem = ""
        self._reconciler = Reconciler(
            store=store,
            store_problem=store.problem,
            watcher=self._watcher,
            surveyor=self._surveyor,
            limits=self._limits,
            poll_s=self._poll_s,
            language_of=self._language_of,
        )
        for workspace in self._workspaces.values():
            workspace.id = store.workspace(workspace.root)

    def close(self) -> None:
        """End surveys, workers and watcher, and give the store back."""
        self._surveyor.stop()
        self._watcher.stop()
        self._pool.stop()
        self._readers.reset()
        if self._reconciler is not None:
            self._reconciler.store.close()
            self._reconciler = None

    def handle(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case FileTouched(path):
                self._touch_file(path)
            case FolderTouched(path):
                self._touch_folder(path)
            case WorkerSpoke() | WorkerEnded():
                self._hear_worker(event)
            case SurveyEnded():
                self._hear_survey(event)
            case WorkspaceAdded(root):
                self._add(root)
            case WorkspaceRemoved(root):
                self._remove(root)
            case RefreshAsked() | RebuildAsked():
                self._compare_now(event)
            case WatcherFailed(reason):
                self._restart_watcher(reason)
            case StoreFailed():
                self._reader_failed(event)

    def work(self) -> None:
        """Do what is due."""
        if self._reconciler is None:
            return
        now_s = self._clock.monotonic_s()
        self._pool.expire()
        for workspace in self._workspaces.values():
            write_s = workspace.write_due_s
            if write_s is not None and write_s <= now_s:
                self._reconciler.write(workspace)
            due_s = workspace.due_s
            if due_s is not None and due_s <= now_s:
                self._reconciler.look(workspace, now_s)
                if not workspace.surveying:
                    self._problem = ""
        while self._pool.has_room() and (reading := self._next_to_read()):
            self._pool.submit(self._reconciler.next_job(reading), reading.crawl.n_waiting)
        self._end_idle_workers(now_s)

    def next_due_s(self) -> float | None:
        """When `work` has something to do even if nothing happens, by the clock."""
        if self._reconciler is None:
            return None
        times = [workspace.due_s for workspace in self._workspaces.values()]
        times += [workspace.write_due_s for workspace in self._workspaces.values()]
        times.append(self._pool.next_deadline_s())
        if self._idle_since_s is not None:
            times.append(self._idle_since_s + _KEEP_WORKERS_S)
        return min((time_s for time_s in times if time_s is not None), default=None)

    def recover(self, error: Exception) -> None:
        """Put things right after `error` ended a turn: make a damaged store anew, or try again later."""
        due_s = self._clock.monotonic_s()
        if isinstance(error, DamagedStoreError):
            self._remake_store(str(error))
        elif isinstance(error, CodeassistdError):
            self._problem = str(error)
            _log.error("%s", error)
            due_s += _RETRY_S
        else:
            self._problem = f"the indexer failed ({type(error).__name__}); see the log, and `index build` to try again"
            _log.error("the indexer failed", exc_info=error)
            due_s += _RETRY_S
        for workspace in self._workspaces.values():
            workspace.start_over(due_s)

    def status(self) -> IndexStatus | None:
        """The numbers of now; None while files are being read and the last numbers are of a moment ago."""
        now_s = self._clock.monotonic_s()
        store_problem = self._reconciler.store_problem if self._reconciler else ""
        own = (self._problem, store_problem, self._pool.broken)
        problems = [*own, *(each.problem for each in self._workspaces.values())]
        problem = "; ".join(filter(None, problems))
        news = (problem, *(workspace.phase() for workspace in self._workspaces.values()))
        if news == self._told_news and self._pool.n_jobs and now_s - self._told_s < _PROGRESS_S:
            return None
        self._told_s, self._told_news = now_s, news
        store = self._reconciler.store if self._reconciler else None
        return IndexStatus(
            schema_version=store.schema_version if store else stored_version(self._path),
            known_schema_version=SCHEMA_VERSION,
            workspaces=tuple(self._status_of(workspace, store) for workspace in self._workspaces.values()),
            grammars_off=self._pool.problems,
            problem=problem,
        )

    def _status_of(self, workspace: Workspace, store: Store | None) -> WorkspaceStatus:
        if store is not None and workspace.tally is None:
            workspace.tally = store.tally(workspace.id)
        return workspace.status(self._watcher.watching(workspace.root))

    def _opened_store(self) -> Store:
        if kind := foreign_mount(self._path.parent, self._mount_table()):
            raise StoreError(
                f"the index cannot lie on a {kind} file system ({self._path.parent}); "
                "set XDG_STATE_HOME to a folder on a local disk"
            )
        store, note = open_or_remake(self._path)
        if note:
            _log.warning("%s", note)
        store.forget_unless_made_with(__version__)
        return store

    def _remake_store(self, reason: str) -> None:
        _log.warning("%s; it is set aside and made anew", reason)
        self._readers.reset()
        if self._reconciler is not None:
            self._reconciler.store.close()
            self._reconciler = None
        set_aside(self._path)
        self.open()
        # Who asked meanwhile met a file without tables, which is no damage.
        self._readers.reset()

    def _reader_failed(self, event: StoreFailed) -> None:
        """A reader met trouble; with a file that was replaced since, it is no trouble any more."""
        if self._reconciler is None or event.n_resets != self._readers.n_resets:
            return
        if event.damaged:
            raise DamagedStoreError(event.reason)
        self._problem = event.reason

    def _restart_watcher(self, reason: str) -> None:
        """Watch anew, and look at everything, since something was missed."""
        now_s = self._clock.monotonic_s()
        _log.warning("%s; all open workspaces are compared with the disk", reason)
        self._watcher.restart(reason, now_s)
        for workspace in self._workspaces.values():
            workspace.missed = True
            workspace.compare_soon(now_s)

    def _add(self, root: Path) -> None:
        if root in self._workspaces:
            self._workspaces[root].n_windows += 1
            return
        workspace = self._workspaces[root] = Workspace(root)
        if self._reconciler is None:
            # Whatever kept the store closed may be over.
            self.open()
        else:
            workspace.id = self._reconciler.store.workspace(root)

    def _remove(self, root: Path) -> None:
        workspace = self._workspaces.get(root)
        if workspace is None:
            return
        workspace.n_windows -= 1
        if not workspace.n_windows:
            del self._workspaces[root]
            self._surveyor.give_up(root)
            self._watcher.forget(root)

    def _touch_file(self, path: Path) -> None:
        for root, workspace in self._workspaces.items():
            if not path.is_relative_to(root):
                continue
            relative = path.relative_to(root).as_posix()
            if path.name == IGNORE_FILE:
                workspace.compare_soon(self._clock.monotonic_s())
            elif self._language_of(relative):
                workspace.touch(relative, self._clock.monotonic_s())

    def _touch_folder(self, path: Path) -> None:
        for root, workspace in self._workspaces.items():
            if path in workspace.markers or path.is_relative_to(root):
                workspace.compare_soon(self._clock.monotonic_s())

    def _compare_now(self, event: RefreshAsked | RebuildAsked) -> None:
        workspace = self._workspaces.get(event.root)
        if workspace is None:
            return
        self._pool.try_again()
        if isinstance(event, RebuildAsked) and self._reconciler is not None:
            self._reconciler.store.clear(workspace.id)
        workspace.compare_at(self._clock.monotonic_s())

    def _hear_worker(self, event: WorkerSpoke | WorkerEnded) -> None:
        if isinstance(event, WorkerSpoke):
            self._record(self._pool.spoke(event))
            return
        result, jobs = self._pool.ended(event)
        for job in reversed(jobs):
            if owner := self._owner(job):
                owner.crawl.give_back(job)
        self._record(result)

    def _hear_survey(self, event: SurveyEnded) -> None:
        if not self._surveyor.take(event):
            return
        workspace, now_s = self._workspaces[event.root], self._clock.monotonic_s()
        if isinstance(event.found, Exception) or self._reconciler is None:
            workspace.end_survey(now_s)
            if isinstance(event.found, Exception):
                raise event.found
            return
        self._reconciler.compare(workspace, event.found, now_s)
        self._problem = ""

    def _next_to_read(self) -> Workspace | None:
        """Whose file is read next: that of the workspace that keeps the workers busy the least, so that none waits."""
        waiting = [workspace for workspace in self._workspaces.values() if workspace.crawl.has_work]
        return min(waiting, key=lambda workspace: workspace.crawl.n_out, default=None)

    def _record(self, result: Result | None) -> None:
        if result is None or self._reconciler is None:
            return
        if owner := self._owner(result.job):
            self._reconciler.record(owner, result, self._clock.monotonic_s())

    def _owner(self, job: Job) -> Workspace | None:
        """The workspace that waits for `job`; none if it was closed or started again since."""
        workspace = self._workspaces.get(job.root)
        return workspace if workspace and workspace.crawl.is_out(job.path) else None

    def _end_idle_workers(self, now_s: float) -> None:
        if self.busy or not self._pool.n_workers:
            self._idle_since_s = None
        elif self._idle_since_s is None:
            self._idle_since_s = now_s
        elif now_s - self._idle_since_s >= _KEEP_WORKERS_S:
            self._pool.stop()
            self._idle_since_s = None

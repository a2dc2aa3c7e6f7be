"""Everything that can happen to the indexer, as a closed set of events in one queue.

Other threads only ever put events here; the indexer's thread takes them out one by one and owns all the rest. Equal
events have one place in the queue, so a file that changes a hundred times while a crawl runs is looked at once.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from codeassistd.index.ignore import Seen

__all__ = [
    "Event",
    "FileTouched",
    "FolderTouched",
    "Inbox",
    "RebuildAsked",
    "RefreshAsked",
    "StopAsked",
    "StoreFailed",
    "SurveyEnded",
    "WatcherFailed",
    "WorkerEnded",
    "WorkerSpoke",
    "WorkspaceAdded",
    "WorkspaceRemoved",
]


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceAdded:
    """A window opened a workspace; counted, so two equal ones are two."""

    root: Path


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceRemoved:
    """A window closed a workspace."""

    root: Path


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file may have changed."""

    path: Path


@dataclass(frozen=True, slots=True)
class FolderTouched:
    """A folder, or what decides about the files in it, may have changed."""

    path: Path


@dataclass(frozen=True, slots=True)
class RefreshAsked:
    """Compare a workspace with the disk."""

    root: Path


@dataclass(frozen=True, slots=True)
class RebuildAsked:
    """Read a whole workspace again."""

    root: Path


@dataclass(frozen=True, slots=True)
class WatcherFailed:
    """Changes may have been missed: the watcher ended or its queue overflowed."""

    reason: str


@dataclass(frozen=True, slots=True)
class StoreFailed:
    """A reader could not read.

    Attributes:
        damaged: whether the file is to be set aside.
        n_resets: how often the readers had been given a new file by then.
    """

    reason: str
    damaged: bool
    n_resets: int


@dataclass(frozen=True, slots=True, eq=False)
class WorkerSpoke:
    """A frame came from the parsing worker that has this number."""

    worker: int
    frame: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WorkerEnded:
    """The parsing worker that has this number is no more."""

    worker: int


@dataclass(frozen=True, slots=True, eq=False)
class SurveyEnded:
    """A workspace was looked at.

    Attributes:
        number: of the survey.
        found: what there is; None where the workspace is not there, or why it could not be looked at.
    """

    root: Path
    number: int
    found: Seen | Exception | None


@dataclass(frozen=True, slots=True)
class StopAsked:
    """End the thread."""


Event: TypeAlias = (
    WorkspaceAdded
    | WorkspaceRemoved
    | FileTouched
    | FolderTouched
    | RefreshAsked
    | RebuildAsked
    | WatcherFailed
    | StoreFailed
    | WorkerSpoke
    | WorkerEnded
    | SurveyEnded
    | StopAsked
)


class Inbox:
    """A queue of events in which equal ones have one place, with a word on what its reader is busy with."""

    def __init__(self) -> None:
        # A dict keeps the order in which keys were put. All of these are guarded by the condition's lock.
        self._events: dict[Event, None] = {}
        self._changed = threading.Condition()
        self._n_put = 0
        self._n_taken = 0
        # As the reader said when it last came for an event: how many were dealt with, and what follows from them.
        self._n_done = 0
        self._busy: frozenset[Path] = frozenset()
        self._is_closed = False

    def put(self, event: Event) -> None:
        """Add `event` at the end, unless an equal one is waiting; from any thread."""
        with self._changed:
            if event not in self._events:
                self._events[event] = None
                self._n_put += 1
                self._changed.notify_all()

    def get(self, timeout_s: float | None, *, busy: frozenset[Path] = frozenset()) -> Event | None:
        """Take the first event; the one reader's call.

        Args:
            timeout_s: how long to wait for one; None waits for ever.
            busy: the workspaces for which something is left to do, which `wait_until_resting` goes by.
        """
        with self._changed:
            self._n_done, self._busy = self._n_taken, busy
            self._changed.notify_all()
            self._changed.wait_for(lambda: bool(self._events), timeout_s)
            if not self._events:
                return None
            event = next(iter(self._events))
            del self._events[event]
            self._n_taken += 1
            return event

    def wait_until_resting(self, timeout_s: float, root: Path | None = None) -> bool:
        """Wait until all events put so far are dealt with and nothing follows from them; False if that takes too long.

        Args:
            timeout_s: how long to wait.
            root: the one workspace that counts, if not all.
        """
        with self._changed:
            n_asked = self._n_put

            def rests() -> bool:
                busy = root in self._busy if root else bool(self._busy)
                return self._is_closed or (self._n_done >= n_asked and not busy)

            return self._changed.wait_for(rests, timeout_s)

    def close(self) -> None:
        """Let those who wait for rest go: there is no reader any more."""
        with self._changed:
            self._events.clear()
            self._is_closed = True
            self._changed.notify_all()

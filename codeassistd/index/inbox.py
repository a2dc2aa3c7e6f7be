"""Everything that can happen to the indexer, as a closed set of events in one queue.

Other threads only ever put events here; the indexer's thread takes them out one by one and owns all the rest. Equal
events have one place in the queue, so a file that changes a hundred times while a crawl runs is looked at once.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

__all__ = [
    "Event",
    "FileTouched",
    "FolderTouched",
    "Inbox",
    "RebuildAsked",
    "RefreshAsked",
    "StopAsked",
    "StoreFailed",
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
    | StopAsked
)


class Inbox:
    """A queue of events in which equal ones have one place, with a word on whether its reader rests."""

    def __init__(self) -> None:
        # A dict keeps the order in which keys were put. All three are guarded by the condition's lock.
        self._events: dict[Event, None] = {}
        self._changed = threading.Condition()
        self._resting = False

    def put(self, event: Event) -> None:
        """Add `event` at the end, unless an equal one is waiting; from any thread."""
        with self._changed:
            self._events.setdefault(event)
            self._resting = False
            self._changed.notify_all()

    def get(self, timeout_s: float | None, *, resting: bool) -> Event | None:
        """Take the first event; the one reader's call.

        Args:
            timeout_s: how long to wait for one; None waits for ever.
            resting: whether the reader has nothing left to do until then, which `wait_until_resting` tells others.
        """
        with self._changed:
            if not self._events:
                self._resting = resting
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._events), timeout_s)
                self._resting = False
            if not self._events:
                return None
            event = next(iter(self._events))
            del self._events[event]
            return event

    def wait_until_resting(self, timeout_s: float) -> bool:
        """Wait until all events are dealt with and nothing follows from them; False if that takes too long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._resting and not self._events, timeout_s)

    def close(self) -> None:
        """Let those who wait for rest go: there is no reader any more."""
        with self._changed:
            self._events.clear()
            self._resting = True
            self._changed.notify_all()

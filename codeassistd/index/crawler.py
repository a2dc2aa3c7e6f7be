"""What has to be read so that the rows equal the disk, and how far that has come.

There is one way to compare, used after a start, an error, an overflow, a rename, a changed ignore file or a branch
switch: all files as they lie on disk against all rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from codeassistd.index.ignore import FoundFile
from codeassistd.index.parsed import Job, Limits
from codeassistd.index.store import FileRow

__all__ = ["Crawl", "Difference", "compare"]


@dataclass(frozen=True, slots=True)
class Difference:
    """What to do: files to read, newest first, and paths whose rows must go."""

    changed: tuple[FoundFile, ...]
    vanished: tuple[str, ...]


def compare(files: Mapping[str, FoundFile], rows: Mapping[str, FileRow], limits: Limits) -> Difference:
    """Compare the disk with the store.

    Args:
        files: the workspace as it lies on disk.
        rows: the workspace as it was read.
        limits: of now; rows may have been made with others.
    """
    changed = [file for path, file in files.items() if not _is_current(file, rows.get(path), limits)]
    # What was worked on last is asked for first.
    changed.sort(key=lambda file: (-file.mtime_ns, file.path))
    return Difference(tuple(changed), tuple(path for path in rows if path not in files))


def _is_current(file: FoundFile, row: FileRow | None, limits: Limits) -> bool:
    return (
        row is not None
        and (row.size, row.mtime_ns, row.language) == (file.size, file.mtime_ns, file.language)
        and not limits.may_have_changed(row.verdict)
    )


class Crawl:
    """The files of one workspace that are still to be read; single changes go before the rest of a long crawl.

    A path has one place among those that wait, and is with one worker at most: two at once could finish in the wrong
    order and leave the older rows.
    """

    def __init__(self) -> None:
        # Paths in the order in which they are to be read, with their languages.
        self._waiting: deque[Job] = deque()
        self._paths: set[str] = set()
        # Jobs that are out, by path; the value is what to do for that path after.
        self._out: dict[str, Job | None] = {}
        self.n_done = 0
        """Files dealt with since the last comparison."""

    @property
    def n_total(self) -> int:
        """Files dealt with and still to be dealt with."""
        return self.n_done + self.n_left

    @property
    def n_left(self) -> int:
        """Files that are still to be dealt with."""
        return len(self._out) + len(self._waiting)

    @property
    def n_waiting(self) -> int:
        """Files that no worker has yet."""
        return len(self._waiting)

    @property
    def n_out(self) -> int:
        """Files that are with the workers."""
        return len(self._out)

    @property
    def has_work(self) -> bool:
        """Whether `take` may be called."""
        return bool(self._waiting)

    def replace(self, jobs: Iterable[Job], n_current: int) -> None:
        """Start again with what a comparison found, in its order.

        Args:
            jobs: files to read.
            n_current: files that are as the store has them, which count as done.
        """
        self._waiting.clear()
        self._paths.clear()
        self.n_done = n_current
        for job in jobs:
            self._put(job, self._waiting.append)

    def put_first(self, job: Job) -> None:
        """Read a file next; it keeps its one place if it is waiting already."""
        if job.path in self._paths:
            self._waiting.remove(next(waiting for waiting in self._waiting if waiting.path == job.path))
        self._put(job, self._waiting.appendleft)

    def take(self) -> Job:
        """The next job, which is out from now on."""
        job = self._waiting.popleft()
        self._paths.discard(job.path)
        self._out[job.path] = None
        return job

    def give_back(self, job: Job) -> None:
        """A job that was taken but not done stands first again."""
        self._out.pop(job.path, None)
        self.put_first(job)

    def is_out(self, path: str) -> bool:
        """Whether a job for `path` was taken from here and not returned."""
        return path in self._out

    def finish(self, job: Job) -> None:
        """A job that was taken is done."""
        again = self._out.pop(job.path, None)
        self.n_done += 1
        if again is not None:
            self.n_done -= 1
            self.put_first(again)

    def _put(self, job: Job, put: Callable[[Job], None]) -> None:
        if job.path in self._out:
            self._out[job.path] = job
            return
        self._paths.add(job.path)
        put(job)

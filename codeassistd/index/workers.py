"""The parsing processes as the indexer sees them: jobs in, outcomes out, each file bounded in time from outside.

All state belongs to the indexer's thread. Each worker has one small thread that does nothing but wait for its frames
and put them into the inbox, which works on every system. Two jobs are with a worker at a time, so that it need not
wait while the rows of the last file are written; only the first of them is being worked on.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from codeassistd.clock import Clock
from codeassistd.index.allowance import Allowance, processor_time_s
from codeassistd.index.inbox import WorkerEnded, WorkerSpoke
from codeassistd.index.parsed import Gone, Job, Limits, Outcome, Parsed, outcome_of, read_frame, write_frame
from codeassistd.index.worker import EXTRACTOR

__all__ = ["Result", "WorkerPool"]

_MAX_JOBS_AHEAD = 2
#: Files that must wait before another worker is started: reading so many takes longer than its start.
_WORTH_A_WORKER = 50
#: A worker that dies before it is ready has a fault of its own, not one of a file.
_MAX_FAILED_STARTS = 3
#: Imports and grammars take a fraction of a second of processor time, but by the clock minutes on a machine that is out
#: of memory.
_START_LIMIT_S = 10.0
_CRASHED = "failed: the parser crashed"
_WINDOWS_FLAGS = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a job."""

    job: Job
    outcome: Outcome


@dataclass(slots=True)
class _Worker:
    """One process; `jobs[0]` is being worked on, once the worker is ready.

    Attributes:
        allowance: of the start, until it is ready; after that of `jobs[0]`.
        spent_s: processor time that it had used when it spoke last.
    """

    process: subprocess.Popen[bytes]
    jobs_pipe: IO[bytes]
    listener: threading.Thread
    allowance: Allowance
    jobs: deque[Job] = field(default_factory=deque)
    ready: bool = False
    spent_s: float = 0.0
    overdue: bool = False

    def end(self) -> None:
        """Take leave of a process that has ended, or was told to."""
        with suppress(OSError):
            # What could not be written any more is given up.
            self.jobs_pipe.close()
        self.process.wait()
        self.listener.join()


class WorkerPool:
    """A bounded number of parsing processes, started when there is work and ended when there is none."""

    def __init__(
        self,
        limits: Limits,
        n_workers: int,
        clock: Clock,
        sink: Callable[[WorkerSpoke | WorkerEnded], None],
        extractor: str = EXTRACTOR,
        *,
        processor_s: Callable[[int], float | None] = processor_time_s,
    ) -> None:
        """Prepare a pool without any process.

        Args:
            limits: for each file.
            n_workers: most processes at a time.
            clock: for the limits, beside `processor_s`.
            sink: gets what the workers say, from threads of their own.
            extractor: `module:function` that parses.
            processor_s: processor time that a process has used, by its id.
        """
        self._limits = limits
        self._arguments = [str(limits.max_bytes), str(limits.max_line_bytes), str(limits.timeout_s), extractor]
        self._n_max = n_workers
        self._clock = clock
        self._sink = sink
        self._processor_s = processor_s
        self._workers: dict[int, _Worker] = {}
        self._n_started = 0
        self._n_failed_starts = 0
        self.problems: tuple[str, ...] = ()
        """What the workers could not load, one line each."""

    @property
    def n_jobs(self) -> int:
        """Jobs that are with the workers."""
        return sum(len(worker.jobs) for worker in self._workers.values())

    @property
    def roots(self) -> frozenset[Path]:
        """The workspaces whose files are with the workers."""
        return frozenset(job.root for worker in self._workers.values() for job in worker.jobs)

    @property
    def n_workers(self) -> int:
        """Processes that are running."""
        return len(self._workers)

    @property
    def broken(self) -> str:
        """Why no worker can be had, or nothing."""
        if self._n_failed_starts < _MAX_FAILED_STARTS:
            return ""
        return f"the parsing worker does not start; run `{sys.executable} -P -m codeassistd.index.worker` to see why"

    def try_again(self) -> None:
        """Forget earlier failures to start a worker."""
        self._n_failed_starts = 0

    def has_room(self) -> bool:
        """Whether `submit` may be called."""
        return not self.broken and self.n_jobs < self._n_max * _MAX_JOBS_AHEAD

    def submit(self, job: Job, n_behind: int = 0) -> None:
        """Give `job` to the worker with the least to do, starting one if all have something and much waits.

        Args:
            job: goes to one worker.
            n_behind: jobs that wait behind it.
        """
        number = min(self._workers, key=lambda key: len(self._workers[key].jobs), default=None)
        is_worth_one = len(self._workers) < self._n_max and n_behind >= _WORTH_A_WORKER
        if number is None or (self._workers[number].jobs and is_worth_one):
            number = self._start()
        self._give(self._workers[number], job)

    def next_deadline_s(self) -> float | None:
        """When `expire` has to be called next, by the clock."""
        waiting = [worker for worker in self._workers.values() if worker.jobs and not worker.overdue]
        return min((worker.allowance.due_s for worker in waiting), default=None)

    def expire(self) -> None:
        """End the workers that have been in one file for too long; what follows comes as `WorkerEnded`."""
        now_s = self._clock.monotonic_s()
        for worker in self._workers.values():
            if not worker.jobs or worker.overdue or now_s < worker.allowance.due_s:
                continue
            if worker.allowance.is_used_up(now_s, self._processor_s(worker.process.pid)):
                worker.overdue = True
                worker.process.kill()

    def spoke(self, event: WorkerSpoke) -> Result | None:
        """Take in what a worker sent: that it is ready, or the outcome of its first job."""
        worker = self._workers.get(event.worker)
        if worker is None:
            return None
        worker.spent_s, problems, payload = event.frame
        # A worker knows of the languages that it met; the first one after a pause may find them mended.
        is_first = not worker.ready and len(self._workers) == 1
        self.problems = tuple(sorted({*problems, *(() if is_first else self.problems)}))
        self._begin_job(worker)
        if not worker.ready:
            worker.ready = True
            self._n_failed_starts = 0
            return None
        return Result(worker.jobs.popleft(), outcome_of(payload))

    def ended(self, event: WorkerEnded) -> tuple[Result | None, list[Job]]:
        """Take in that a worker is no more.

        Returns:
            The outcome of the file it died in, if any, and the jobs that have to be given out again.
        """
        worker = self._workers.pop(event.worker, None)
        if worker is None:
            return None, []
        worker.end()
        if not worker.ready:
            self._n_failed_starts += 1
            return None, list(worker.jobs)
        if not worker.jobs:
            return None, []
        verdict = self._limits.too_slow if worker.overdue else _CRASHED
        return _failure(worker.jobs.popleft(), verdict), list(worker.jobs)

    def stop(self) -> None:
        """End all workers; jobs that are with them are forgotten."""
        workers, self._workers = self._workers, {}
        for worker in workers.values():
            worker.process.kill()
        for worker in workers.values():
            worker.end()

    def _start(self) -> int:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "codeassistd.index.worker", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=_WINDOWS_FLAGS,
        )
        if process.stdin is None or process.stdout is None:
            raise AssertionError("a worker is started with pipes")
        self._n_started += 1
        allowance = Allowance(_START_LIMIT_S, self._clock.monotonic_s(), 0.0)
        listener = threading.Thread(
            target=_listen,
            args=(self._n_started, process.stdout, self._sink),
            name=f"codeassistd-parser-{self._n_started}",
            daemon=True,
        )
        self._workers[self._n_started] = _Worker(process, process.stdin, listener, allowance)
        listener.start()
        return self._n_started

    def _give(self, worker: _Worker, job: Job) -> None:
        if worker.ready and not worker.jobs:
            self._begin_job(worker)
        worker.jobs.append(job)
        try:
            write_frame(worker.jobs_pipe, (str(job.root / job.path), job.language, job.known_hash))
        except OSError:
            # It died a moment ago; its end is on the way, and brings this job back.
            return

    def _begin_job(self, worker: _Worker) -> None:
        """Count anew: the worker goes on to its next job."""
        worker.allowance = Allowance(self._limits.timeout_s, self._clock.monotonic_s(), worker.spent_s)


def _listen(number: int, answers: IO[bytes], sink: Callable[[WorkerSpoke | WorkerEnded], None]) -> None:
    """Put what a worker sends into the inbox until it ends."""
    with answers:
        while (frame := read_frame(answers)) is not None:
            sink(WorkerSpoke(number, frame))
    sink(WorkerEnded(number))


def _failure(job: Job, verdict: str) -> Result:
    """The outcome for a file that cost a worker: failed, as the file is now, so that it is not tried again as it is."""
    try:
        info = (job.root / job.path).lstat()
    except OSError:
        return Result(job, Gone())
    return Result(job, Parsed(info.st_size, info.st_mtime_ns, b"", verdict))

"""Parsing processes: what they answer, and what happens when they do not."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codeassistd.clock import Clock, SystemClock
from codeassistd.index.allowance import processor_time_s
from codeassistd.index.inbox import WorkerEnded, WorkerSpoke
from codeassistd.index.parsed import WALL_FACTOR, Gone, Job, Limits, Parsed, Unchanged
from codeassistd.index.worker import content_hash
from codeassistd.index.workers import Result, WorkerPool
from codeassistd.testing.fake_clock import FakeClock
from tests.support.indexing import PATIENCE_S, write

pytestmark = pytest.mark.slow

LIMITS = Limits(max_bytes=2000, max_line_bytes=200, timeout_s=30.0)


class Bench:
    """A pool whose events are worked off by the test."""

    def __init__(
        self,
        extractor: str,
        limits: Limits,
        clock: Clock | None = None,
        processor_s: Callable[[int], float | None] = processor_time_s,
    ) -> None:
        self._events: queue.Queue[WorkerSpoke | WorkerEnded] = queue.Queue()
        self.pool = WorkerPool(limits, 1, clock or SystemClock(), self._events.put, extractor, processor_s=processor_s)

    def next_event(self) -> Result | None:
        """Take in what happens next, however long that takes."""
        event = self._events.get(timeout=PATIENCE_S)
        return self.pool.spoke(event) if isinstance(event, WorkerSpoke) else self.pool.ended(event)[0]

    def run(self, *jobs: Job) -> dict[str, Result]:
        """Have `jobs` done, giving out again what comes back."""
        waiting, results = list(jobs), dict[str, Result]()
        while len(results) < len(jobs) and not self.pool.broken:
            while waiting and self.pool.has_room():
                self.pool.submit(waiting.pop(0))
            due_s = self.pool.next_deadline_s()
            try:
                event = self._events.get(timeout=0.05 if due_s is not None else PATIENCE_S)
            except queue.Empty:
                self.pool.expire()
                continue
            if isinstance(event, WorkerSpoke):
                result = self.pool.spoke(event)
            else:
                result, back = self.pool.ended(event)
                waiting = [*back, *waiting]
            if result:
                results[result.job.path] = result
        return results


@contextmanager
def bench(extractor: str = "extract", limits: Limits = LIMITS) -> Iterator[Bench]:
    """A pool of one worker; `extractor` is the real one or a misbehaving one."""
    module = "codeassistd.syntax.extract" if extractor == "extract" else "tests.support.extractors"
    opened = Bench(f"{module}:{extractor}", limits)
    try:
        yield opened
    finally:
        opened.pool.stop()


def verdicts(results: dict[str, Result]) -> dict[str, str]:
    """The verdict of each file that was read."""
    return {
        path: result.outcome.verdict if isinstance(result.outcome, Parsed) else type(result.outcome).__name__
        for path, result in results.items()
    }


def test_a_file_comes_back_as_rows_of_plain_values(tmp_path: Path) -> None:
    """Symbols, counted references and imports, with the stamp the file had."""
    write(tmp_path, {"a.py": "import os\n\ndef one():\n    two(1)\n    return two(os)\n"})
    with bench() as workers:
        outcome = workers.run(Job(tmp_path, "a.py", "python"))["a.py"].outcome
    assert isinstance(outcome, Parsed)
    info = (tmp_path / "a.py").stat()
    assert (info.st_size, info.st_mtime_ns, "indexed") == (outcome.size, outcome.mtime_ns, outcome.verdict)
    assert content_hash((tmp_path / "a.py").read_bytes()) == outcome.hash
    assert [("one", "function", 2)] == [(row[0], row[1], row[9]) for row in outcome.symbols]
    assert ("two", 2, 3) in outcome.references
    assert (("os", "", "", 0),) == outcome.imports


def test_every_file_gets_a_verdict(tmp_path: Path) -> None:
    """Too large, minified, not text, gone, known: each is said, none is an error."""
    write(
        tmp_path,
        {
            "large.py": "x = 1\n" * 1000,
            "line.py": "x = '" + "x" * 300 + "'\n",
            "binary.py": b"\x00\x01\x02" * 20,
            "known.py": "x = 1\n",
            "latin.py": "ä = 1\n".encode("latin-1"),
            "folder.py/inner.txt": "",
            "empty.py": "",
        },
    )
    (tmp_path / "link.py").symlink_to("known.py")
    names = ["large.py", "line.py", "binary.py", "latin.py", "folder.py", "empty.py", "link.py", "none.py"]
    with bench() as workers:
        results = workers.run(
            *(Job(tmp_path, name, "python") for name in names),
            Job(tmp_path, "known.py", "python", content_hash(b"x = 1\n")),
        )
    expected = {
        "large.py": "skipped: larger than 2000 bytes",
        "line.py": "skipped: a line is longer than 200 bytes",
        "binary.py": "skipped: not text",
        "latin.py": "indexed: as cp1252",
        "folder.py": "Gone",
        "empty.py": "indexed",
        "link.py": "Gone",
        "none.py": "Gone",
        "known.py": "Unchanged",
    }
    assert expected == verdicts(results)
    assert isinstance(results["known.py"].outcome, Unchanged)
    assert isinstance(results["none.py"].outcome, Gone)


@pytest.mark.parametrize(
    ("extractor", "limits", "verdict"),
    [
        ("crashing", LIMITS, "failed: the parser crashed"),
        ("raising", LIMITS, "failed: KeyError in the parser"),
        ("hanging", Limits(2000, 200, 1.0), "failed: took longer than 1 s"),
    ],
)
def test_a_bad_file_costs_itself_only(tmp_path: Path, extractor: str, limits: Limits, verdict: str) -> None:
    """A crash, an exception or an endless loop in the parser fails one file; those beside it are read."""
    write(tmp_path, {"a.py": "a = 1\n", "bad.py": "CRASH = RAISE = HANG = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"})
    with bench(extractor, limits) as workers:
        results = workers.run(*(Job(tmp_path, name, "python") for name in ("a.py", "bad.py", "b.py", "c.py")))
    assert {"a.py": "indexed", "bad.py": verdict, "b.py": "indexed", "c.py": "indexed"} == verdicts(results)
    stamp = (tmp_path / "bad.py").stat()
    outcome = results["bad.py"].outcome
    assert isinstance(outcome, Parsed)
    assert (stamp.st_size, stamp.st_mtime_ns) == (outcome.size, outcome.mtime_ns)


class Stuck:
    """A worker in an endless file, on a machine whose clock and processor times the test tells."""

    def __init__(self, root: Path) -> None:
        write(root, {"bad.py": "HANG = 1\n"})
        self.clock = FakeClock()
        self.used_s: float | None = 0.0
        self.before_s = 0.0
        self.bench = Bench(
            "tests.support.extractors:hanging",
            Limits(2000, 200, 3.0),
            self.clock,
            processor_s=lambda _pid: self._processor_s(),
        )
        self.bench.pool.submit(Job(root, "bad.py", "python"))
        # What its start took is told by the worker itself.
        assert self.bench.next_event() is None
        (worker,) = self.bench.pool._workers.values()
        self.before_s = worker.spent_s

    def _processor_s(self) -> float | None:
        return None if self.used_s is None else self.before_s + self.used_s

    async def is_alive_after(self, wall_s: float, used_s: float | None) -> bool:
        """Whether it is still let alone so long after it began."""
        await self.clock.advance(wall_s - self.clock.monotonic_s())
        self.used_s = used_s
        self.bench.pool.expire()
        (worker,) = self.bench.pool._workers.values()
        return not worker.overdue


async def test_a_worker_that_had_no_turn_is_let_alone(tmp_path: Path) -> None:
    """Other programs kept the processor: the limit counts the worker's own time, and the pool says when to look."""
    stuck = Stuck(tmp_path)
    try:
        assert 3.0 == stuck.bench.pool.next_deadline_s()
        assert await stuck.is_alive_after(2.5, used_s=2.5)
        assert await stuck.is_alive_after(3.0, used_s=1.0)
        assert 5.0 == pytest.approx(stuck.bench.pool.next_deadline_s())
        assert await stuck.is_alive_after(50.0, used_s=2.5)
        assert not await stuck.is_alive_after(51.0, used_s=3.0)
        result = stuck.bench.next_event()
        assert result is not None
        assert {"bad.py": "failed: took longer than 3 s"} == verdicts({"bad.py": result})
    finally:
        stuck.bench.pool.stop()


@pytest.mark.parametrize(("wall_s", "used_s"), [(3.0 * WALL_FACTOR, 0.0), (3.0, None)])
async def test_a_worker_that_only_waits_is_ended_by_the_clock(
    tmp_path: Path, wall_s: float, used_s: float | None
) -> None:
    """Much later than by its own time, which may also be unknown."""
    stuck = Stuck(tmp_path)
    try:
        assert not await stuck.is_alive_after(wall_s, used_s)
    finally:
        stuck.bench.pool.stop()


def test_what_is_printed_in_a_worker_spoils_no_answer(tmp_path: Path) -> None:
    """Native libraries print to file descriptor 1; answers travel on another."""
    write(tmp_path, {"a.py": "a = 1\n"})
    with bench("printing") as workers:
        assert {"a.py": "indexed"} == verdicts(workers.run(Job(tmp_path, "a.py", "python")))


def test_a_worker_that_cannot_start_is_given_up(tmp_path: Path) -> None:
    """After a few deaths before the first answer the pool says so and takes no more jobs; no file is blamed."""
    write(tmp_path, {"a.py": "a = 1\n"})
    with bench("no_such_function") as workers:
        assert {} == workers.run(Job(tmp_path, "a.py", "python"))
        assert "the parsing worker does not start" in workers.pool.broken
        assert not workers.pool.has_room()


def test_another_worker_is_started_only_where_much_waits(tmp_path: Path) -> None:
    """A few files are read by one process; a process more takes longer to start than those files to read."""
    write(tmp_path, {"a.py": "a = 1\n"})
    pool = WorkerPool(LIMITS, 2, SystemClock(), lambda _event: None)
    job = Job(tmp_path, "a.py", "python")
    try:
        pool.submit(job, 1000)
        pool.submit(job, 3)
        assert 1 == pool.n_workers
        pool.submit(job, 1000)
        pool.submit(job, 1000)
        assert 2 == pool.n_workers
    finally:
        pool.stop()

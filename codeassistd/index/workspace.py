"""One open workspace as the indexer's thread keeps it in memory; closing it drops all of this."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.index.crawler import Crawl
from codeassistd.index.parsed import Job, Parsed
from codeassistd.index.store import Tally
from codeassistd.index.types import IndexPhase, WorkspaceStatus

__all__ = ["Workspace"]

#: A change is looked at when nothing has changed for this long: a save, a checkout or a build makes many events.
_QUIET_S = 0.1
#: But no change waits longer than this.
_PATIENCE_S = 1.0
#: With more changed files than this, comparing the whole workspace is cheaper than looking at each.
_MAX_TOUCHED = 200
#: Files that are written together while others wait to be read: a transaction for each takes half as long again.
_MAX_UNWRITTEN = 32
#: But what was read is written after this time at the latest.
_WRITE_PATIENCE_S = 0.2


@dataclass(slots=True)
class Workspace:
    """What is known about a workspace, and what is to be done next.

    Attributes:
        id: of its rows in the store.
        n_windows: editor windows that have it open.
        touched: relative paths that may have changed.
        compare_due: whether all of it must be compared with the disk.
        markers: files outside the tree that decide about its files.
        surveying: it is being looked at; what may have changed meanwhile is looked at after that.
        late: changes are seen late, because there are no events.
        missed: changes may have been missed; a comparison is on its way.
        problem: why it cannot be compared, or nothing.
        unwritten: files that were read and are not in the store yet; none where no file waits to be read.
        next_poll_s: when it is compared although nothing was heard, by the clock; None where events come.
        tally: its rows in numbers; None when they have changed since they were counted.
    """

    root: Path
    id: int = 0
    n_windows: int = 1
    crawl: Crawl = field(default_factory=Crawl)
    touched: set[str] = field(default_factory=set)
    compare_due: bool = True
    surveying: bool = False
    compared: bool = False
    crawling: bool = False
    markers: frozenset[Path] = frozenset()
    late: bool = False
    missed: bool = False
    problem: str = ""
    unwritten: list[tuple[Job, Parsed]] = field(default_factory=list)
    next_poll_s: float | None = None
    n_parsed: int = 0
    tally: Tally | None = None
    _due_s: float | None = None
    _begun_s: float = 0.0
    _latest_s: float = 0.0
    _write_s: float = 0.0

    @property
    def has_news(self) -> bool:
        """Whether something may have changed that was not looked at."""
        return self.compare_due or bool(self.touched)

    @property
    def is_busy(self) -> bool:
        """Whether something is left to do until its rows are true."""
        return self.has_news or self.surveying or self.crawl.n_left > 0

    @property
    def due_s(self) -> float | None:
        """When to look at what may have changed, by the clock; None where nothing has, or it is being looked at."""
        if self.surveying:
            return None
        if not self.has_news:
            return self.next_poll_s
        return self._due_s if self._due_s is not None else 0.0

    def touch(self, path: str, now_s: float) -> None:
        """A file may have changed."""
        self.touched.add(path)
        if len(self.touched) > _MAX_TOUCHED:
            self.compare_due = True
        self._wait(now_s)

    def compare_soon(self, now_s: float) -> None:
        """Anything may have changed; more events are probably on the way."""
        self.compare_due = True
        self._wait(now_s)

    def compare_at(self, due_s: float) -> None:
        """Compare all of it, but not before `due_s`."""
        self.compare_due = True
        self._due_s = due_s

    def start_over(self, due_s: float) -> None:
        """Compare all of it at `due_s`, and forget what is being read: changes may have been missed."""
        self.crawl, self.missed = Crawl(), True
        self.unwritten.clear()
        self.compare_at(due_s)

    def keep_unwritten(self, job: Job, parsed: Parsed, now_s: float) -> None:
        """A file was read."""
        if not self.unwritten:
            self._write_s = now_s + _WRITE_PATIENCE_S
        self.unwritten.append((job, parsed))

    @property
    def write_due_s(self) -> float | None:
        """When to write what was read, by the clock; None where nothing was.

        At once, unless files wait to be read: then a few are written together.
        """
        if not self.unwritten:
            return None
        waits = self.crawl.has_work and len(self.unwritten) < _MAX_UNWRITTEN
        return self._write_s if waits else 0.0

    def take_unwritten(self) -> list[tuple[Job, Parsed]]:
        """The files to write, which are done with by that."""
        unwritten, self.unwritten = self.unwritten, []
        return unwritten

    def take_touched(self) -> Iterator[str]:
        """The paths to look at, which are done with by that."""
        touched, self.touched, self._due_s = sorted(self.touched), set(), None
        return iter(touched)

    def begin_survey(self, now_s: float) -> None:
        """All that may have changed so far is looked at from now on."""
        self.touched.clear()
        self.compare_due, self._due_s, self.next_poll_s = False, None, None
        self.surveying, self._begun_s = True, now_s

    def end_survey(self, now_s: float) -> float:
        """It was looked at; returns the seconds that this took."""
        self.surveying = False
        return now_s - self._begun_s

    def phase(self) -> IndexPhase:
        """What is being done for it."""
        if not self.compared:
            return IndexPhase.DEGRADED if self.problem else IndexPhase.WAITING
        if self.missed:
            return IndexPhase.DEGRADED
        if self.crawling and self.crawl.n_left:
            return IndexPhase.CRAWLING
        return IndexPhase.DEGRADED if self.late or self.problem else IndexPhase.READY

    def status(self, watching: str) -> WorkspaceStatus:
        """Its numbers as last counted; when nothing is left to do, the files in the store are the total."""
        tally = self.tally or Tally({}, 0)
        n_files = sum(tally.verdicts.values())
        n_left = self.crawl.n_left
        return WorkspaceStatus(
            root=self.root,
            phase=self.phase(),
            n_done=self.crawl.n_done if n_left else n_files,
            n_total=self.crawl.n_total if n_left else n_files,
            n_symbols=tally.n_symbols,
            n_parsed=self.n_parsed,
            watching=watching,
            verdicts=dict(tally.verdicts),
        )

    def _wait(self, now_s: float) -> None:
        """Look at the news after a quiet time, counted from the last of them and bounded from the first."""
        if self._due_s is None:
            self._latest_s = now_s + _PATIENCE_S
        self._due_s = min(now_s + _QUIET_S, max(self._latest_s, now_s))

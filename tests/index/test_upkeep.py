"""Whose turn it is: among the workspaces that wait to be read, and for one that is polled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from codeassistd.index.ignore import FoundFile, Seen, Tree
from codeassistd.index.inbox import SurveyEnded, WorkspaceAdded
from codeassistd.index.parsed import Job, Limits
from codeassistd.index.read_store import ReadStore
from codeassistd.index.surveyor import Surveyor
from codeassistd.index.upkeep import Upkeep
from codeassistd.index.watcher import Watcher
from codeassistd.testing.fake_clock import FakeClock

LARGE, SMALL = Path("/large"), Path("/small")
LIMITS = Limits(1000, 1000, 1.0)


class Pool:
    """Workers that take what they have room for and never answer."""

    n_jobs = n_workers = 0
    roots: frozenset[Path] = frozenset()
    broken = ""
    problems: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.room = 0
        self.jobs: list[Job] = []

    def has_room(self) -> bool:
        return self.room > 0

    def submit(self, job: Job, n_behind: int) -> None:
        del n_behind
        self.room -= 1
        self.jobs.append(job)

    def expire(self) -> None:
        """Nothing takes long here."""

    def next_deadline_s(self) -> float | None:
        return None

    def stop(self) -> None:
        """End."""


class Surveys:
    """Surveys that end when the test says so."""

    def begin(self, root: Path, *, with_folders: bool) -> None:
        """Nothing is looked at."""

    def take(self, event: SurveyEnded) -> bool:
        del event
        return True

    def stop(self) -> None:
        """End."""


class Scene:
    """An upkeep whose surroundings are played."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.pool = FakeClock(), Pool()
        self.upkeep = Upkeep(
            store_path=folder / "index.db",
            readers=ReadStore(folder / "index.db"),
            limits=LIMITS,
            poll_s=10.0,
            clock=self.clock,
            pool=cast("Any", self.pool),
            watcher=Watcher("poll", lambda _hint: None),
            surveyor=cast("Surveyor", Surveys()),
            language_of=lambda _path: "python",
            mount_table=tuple,
        )
        self.upkeep.open()

    def close(self) -> None:
        """Give the store back."""
        self.upkeep.close()

    def opened(self, root: Path) -> None:
        """A window opens a workspace, and its survey begins."""
        self.upkeep.handle(WorkspaceAdded(root))
        self.upkeep.work()

    def surveyed(self, root: Path, n_files: int) -> None:
        """The survey of a workspace has found so many files."""
        files = {f"{n}.py": FoundFile(f"{n}.py", 1, 1, "python") for n in range(n_files)}
        seen = Seen(Tree(files, frozenset({""}), {}), frozenset())
        self.upkeep.handle(SurveyEnded(root, 1, seen))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Without any workspace."""
    with closing(Scene(tmp_path)) as made:
        yield made


def test_no_crawl_holds_up_another(scene: Scene) -> None:
    """Whatever waits of a large workspace, a small one's files are read as soon as a worker has room."""
    scene.opened(LARGE)
    scene.surveyed(LARGE, 100)
    scene.pool.room = 4
    scene.upkeep.work()
    scene.opened(SMALL)
    scene.surveyed(SMALL, 2)
    for _ in range(3):
        scene.pool.room = 1
        scene.upkeep.work()

    assert [LARGE] * 4 + [SMALL] * 2 + [LARGE] == [job.root for job in scene.pool.jobs]


@pytest.mark.parametrize(("took_s", "rest_s"), [(1.0, 10.0), (60.0, 540.0)])
async def test_polling_takes_a_tenth_of_the_time_at_most(scene: Scene, took_s: float, rest_s: float) -> None:
    """A folder that takes a minute to look at is not looked at all the time."""
    scene.opened(LARGE)
    await scene.clock.advance(took_s)
    scene.surveyed(LARGE, 0)

    assert scene.clock.monotonic_s() + rest_s == scene.upkeep.next_due_s()

"""Surveys that take long: whom they hold up, and how they end."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from codeassistd.index.git import Patience
from codeassistd.index.ignore import LanguageOf, Tree, survey
from tests.support.indexing import PATIENCE_S, repository, running, write

pytestmark = pytest.mark.slow

#: Between two looks at whether to go on; nothing depends on it.
_BREATH_S = 0.01


class EndlessAt:
    """Surveys like the real thing, but comes to no end in one folder until that is let go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.begun = threading.Semaphore(0)
        self.given_up = threading.Semaphore(0)
        self.let_go = threading.Event()

    def __call__(self, root: Path, language_of: LanguageOf, excluded: Collection[Path], patience: Patience) -> Tree:
        """See `survey`."""
        tree = survey(root, language_of, excluded, patience)
        if root == self.folder:
            self.begun.release()
            while not self.let_go.wait(_BREATH_S):
                self._go_on(patience)
        return tree

    def _go_on(self, patience: Patience) -> None:
        try:
            patience.go_on()
        except Exception:
            self.given_up.release()
            raise


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with one file."""
    path = repository(tmp_path / "root")
    write(path, {"a.py": "def one(): ...\n"})
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder whose survey does not end."""
    path = repository(tmp_path / "home")
    write(path, {"old.py": "def old(): ...\n"})
    return path


@pytest.fixture
def look(home: Path) -> Iterator[EndlessAt]:
    """The survey that takes long there."""
    look = EndlessAt(home)
    yield look
    look.let_go.set()


def test_a_long_survey_holds_up_no_other_workspace(root: Path, home: Path, look: EndlessAt, tmp_path: Path) -> None:
    """Another is opened, read, searched and edited meanwhile, and who waits for it waits for nothing else."""
    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(home)
        assert look.begun.acquire(timeout=PATIENCE_S)
        run.indexer.add_workspace(root)
        assert run.indexer.wait_idle(PATIENCE_S, root)
        assert ["def one()"] == [found.signature for found in run.indexer.lookup.definitions(root, ["one"], None)]
        write(root, {"a.py": "def uno(): ...\n", "b.py": "def two(): ...\n"})
        run.indexer.file_changed(root / "a.py")
        run.indexer.file_changed(root / "b.py")
        assert run.indexer.wait_idle(PATIENCE_S, root)
        assert {"a.py": ["uno"], "b.py": ["two"]} == run.rows()
        assert not run.indexer.wait_idle(0)
        assert not run.indexer.wait_idle(0, home)
        assert ["waiting", "ready"] == [each.phase.value for each in run.indexer.status().workspaces]
        look.let_go.set()
        run.settle()
        assert ["old"] == run.rows()["old.py"]


def test_closing_a_workspace_ends_its_survey(home: Path, look: EndlessAt, tmp_path: Path) -> None:
    """Nobody waits for it any more, and it works no more."""
    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(home)
        assert look.begun.acquire(timeout=PATIENCE_S)
        run.indexer.remove_workspace(home)
        assert look.given_up.acquire(timeout=PATIENCE_S)
        run.settle()
        assert () == run.indexer.status().workspaces


def test_a_second_window_keeps_the_survey(home: Path, look: EndlessAt, tmp_path: Path) -> None:
    """It ends with the last of them."""
    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(home)
        run.indexer.add_workspace(home)
        assert look.begun.acquire(timeout=PATIENCE_S)
        run.indexer.remove_workspace(home)
        look.let_go.set()
        run.settle()
        assert {"old.py": ["old"]} == run.rows()
        assert not look.given_up.acquire(blocking=False)


def test_a_workspace_that_is_opened_again_is_looked_at_anew(home: Path, look: EndlessAt, tmp_path: Path) -> None:
    """What the survey before it would have found counts for nothing."""
    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(home)
        assert look.begun.acquire(timeout=PATIENCE_S)
        run.indexer.remove_workspace(home)
        write(home, {"new.py": "def new(): ...\n"})
        run.indexer.add_workspace(home)
        assert look.given_up.acquire(timeout=PATIENCE_S)
        assert look.begun.acquire(timeout=PATIENCE_S)
        look.let_go.set()
        run.settle()
        assert {"new.py": ["new"], "old.py": ["old"]} == run.rows()


def test_what_changes_while_it_is_surveyed_is_looked_at_after_that(home: Path, look: EndlessAt, tmp_path: Path) -> None:
    """A file that it had passed already is not missed."""
    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(home)
        assert look.begun.acquire(timeout=PATIENCE_S)
        write(home, {"new.py": "def new(): ...\n", "old.py": "def older(): ...\n"})
        run.indexer.file_changed(home / "new.py")
        run.indexer.file_changed(home / "old.py")
        look.let_go.set()
        run.settle()
        assert {"new.py": ["new"], "old.py": ["older"]} == run.rows()


def test_stopping_waits_for_no_survey(home: Path, look: EndlessAt, tmp_path: Path) -> None:
    """The daemon ends while one is under way, and the survey with it."""
    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(home)
        assert look.begun.acquire(timeout=PATIENCE_S)
        run.indexer.stop()
        assert look.given_up.acquire(timeout=PATIENCE_S)


def test_a_survey_that_fails_is_said_and_tried_again(root: Path, tmp_path: Path) -> None:
    """A fault in it costs neither the thread nor the workspace."""
    broken = threading.Event()
    broken.set()

    def look(root: Path, language_of: LanguageOf, excluded: Collection[Path], patience: Patience) -> Tree:
        if broken.is_set():
            raise RecursionError
        return survey(root, language_of, excluded, patience)

    with running(tmp_path / "state", parts={"look_at": look}) as run:
        run.indexer.add_workspace(root)
        run.wait_until(lambda: "the indexer failed (RecursionError)" in run.indexer.status().problem)
        broken.clear()
        run.indexer.refresh(root)
        run.settle()
        assert ("", {"a.py": ["one"]}) == (run.indexer.status().problem, run.rows())

"""A store on a thread of its own: what goes wrong with it costs what was to be kept, and nothing waits without end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeassistd.errors import StoreError
from codeassistd.index import store_thread as module
from codeassistd.index.store_thread import StoreThread


class Shelf:
    """A store that can be told to fail."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.is_broken = False
        self.n_closed = 0

    def put(self, what: str) -> str:
        if self.is_broken:
            raise StoreError("the shelf is broken")
        self.kept.append(what)
        return what

    def close(self) -> None:
        self.n_closed += 1


@pytest.fixture
def shelf() -> Shelf:
    """What is opened, again and again."""
    return Shelf()


@pytest.fixture
def thread(shelf: Shelf, tmp_path: Path) -> Iterator[StoreThread[Shelf]]:
    """Closed at the end, as it must be."""
    made = StoreThread("shelf", tmp_path, lambda _: (shelf, ""))
    yield made
    made.close()


def putting(what: str) -> Callable[[Shelf], str]:
    return lambda shelf: shelf.put(what)


def test_a_failure_is_told_until_something_can_be_kept_again(shelf: Shelf, thread: StoreThread[Shelf]) -> None:
    """The store is given back meanwhile, and opened anew."""
    shelf.is_broken = True
    assert "otherwise" == thread.attempt(putting("one"), "otherwise").result()
    assert ("the shelf is broken", 1) == (thread.problem, shelf.n_closed)
    shelf.is_broken = False
    assert "two" == thread.attempt(putting("two"), "otherwise").result()
    assert "" == thread.problem


def test_who_asks_is_told(shelf: Shelf, thread: StoreThread[Shelf]) -> None:
    """By the error itself."""
    assert "one" == thread.ask(putting("one")).result()
    shelf.is_broken = True
    with pytest.raises(StoreError, match="the shelf is broken"):
        thread.ask(putting("two")).result()


def test_a_disk_that_hangs_does_not_take_the_memory(
    shelf: Shelf, thread: StoreThread[Shelf], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes while too much waits is not kept."""
    monkeypatch.setattr(module, "_MAX_WAITING", 2)
    hangs, goes_on = threading.Event(), threading.Event()

    def hang(_: Shelf) -> None:
        hangs.set()
        goes_on.wait()

    thread.attempt(hang, None)
    hangs.wait()
    outcomes = [thread.attempt(putting(what), "refused") for what in ("one", "two", "three")]
    goes_on.set()
    assert ["one", "two", "refused"] == [outcome.result() for outcome in outcomes]
    assert ["one", "two"] == shelf.kept


def test_what_was_given_before_the_end_is_kept(shelf: Shelf, thread: StoreThread[Shelf]) -> None:
    """And nothing after it."""
    thread.attempt(putting("one"), "otherwise")
    thread.close()
    assert (["one"], 1) == (shelf.kept, shelf.n_closed)
    assert "otherwise" == thread.attempt(putting("two"), "otherwise").result()


def test_what_nobody_foresaw_is_logged(thread: StoreThread[Shelf], caplog: pytest.LogCaptureFixture) -> None:
    """Those who give work seldom look what came of it; what was foreseen is told otherwise."""

    def slip(_: Shelf) -> None:
        raise ZeroDivisionError

    tried = thread.attempt(slip, None)
    thread.flush()
    assert isinstance(tried.exception(), ZeroDivisionError)
    assert ["a store failed in a way that nobody foresaw"] == caplog.messages

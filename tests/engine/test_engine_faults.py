"""Faults at the seams of the engine's life, at a reload, the unload or the end: none of them stops the service."""

from __future__ import annotations

import threading

import pytest

from codeassistd.engine.backend import BackendInfo, LoadProgress
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState, FinishReason
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, running, settled, wait_until

SOON_S = 0.02


class Stubborn(FakeBackend):
    """Its load does not look up, as in making a context, until `let_go`."""

    def load(self, progress: LoadProgress) -> FakeBackend:
        """Load, after a wait that nothing ends."""
        self.loading.set()
        self.let_go.wait()
        return super().load(progress)

    @property
    def let_go(self) -> threading.Event:
        """Its gate, which `FakeBackend` would poll."""
        return self.load_gate


class BadEnd(FakeBackend):
    """Gives its memory back, and fails over it."""

    def close(self) -> None:
        """Count the close, and fail."""
        super().close()
        raise OSError("no space left on the disk")


class Vague(FakeBackend):
    """Loads, and does not say what."""

    @property
    def info(self) -> BackendInfo:
        """Nothing."""
        raise KeyError("n_ctx")


def stubborn(answer: str) -> Stubborn:
    backend = Stubborn(FakeScript(default=answer))
    backend.load_gate.clear()
    return backend


async def test_a_load_that_cannot_be_ended_holds_nobody_up() -> None:
    """Given up for another one, it runs to its end and is closed; the old model serves meanwhile."""
    old, first = FakeBackend(FakeScript(default="old")), stubborn("first")
    second = FakeBackend(FakeScript(default="second"))
    async with running(old) as engine:
        engine.reload(first.load)
        wait_until(first.loading.is_set, "the first load")
        engine.reload(second.load)
        assert "old" == (await answer_of(engine.submit(request("x")))).text
        assert not second.loading.is_set()  # there is never more than one load at a time
        first.let_go.set()
        wait_until(lambda: engine.vocabulary is second.vocabulary, "the second model")
        assert "second" == (await answer_of(engine.submit(request("x")))).text
        assert (1, 1, 0) == (old.n_closed, first.n_closed, second.n_closed)
        assert () == engine.status().warnings


async def test_of_many_choices_only_the_last_is_loaded() -> None:
    """Those in between are never begun."""
    first, last = stubborn("first"), FakeBackend(FakeScript(default="last"))
    between = [FakeBackend() for _ in range(3)]
    async with running(FakeBackend(FakeScript(default="old"))) as engine:
        engine.reload(first.load)
        wait_until(first.loading.is_set, "the first load")
        for backend in (*between, last):
            engine.reload(backend.load)
            assert "old" == (await answer_of(engine.submit(request("x")))).text
        first.let_go.set()
        wait_until(lambda: engine.vocabulary is last.vocabulary, "the last model")
        assert [0, 0, 0] == [backend.n_closed for backend in between]
        assert [False, False, False] == [bool(backend._cells) for backend in between]


async def test_the_new_model_serves_though_the_old_one_ends_badly() -> None:
    """What goes wrong at the old model's end is told, and nothing else."""
    old, new = BadEnd(FakeScript(default="old")), FakeBackend(FakeScript(default="new"))
    async with running(old) as engine:
        engine.reload(new.load)
        wait_until(lambda: engine.vocabulary is new.vocabulary, "the new model")
        assert "new" == (await answer_of(engine.submit(request("x")))).text
        status = engine.status()
        assert (EngineState.READY, 1) == (status.state, old.n_closed)
        assert "internal error: OSError: no space left on the disk" == status.last_error


async def test_a_model_that_ends_badly_is_loaded_again_all_the_same() -> None:
    """An unload for want of work stays one, whatever went wrong in it, and the next request ends it."""
    backend = BadEnd(FakeScript(default="abc"))
    engine = Engine(backend.load, options=EngineOptions(idle_unload_s=SOON_S))
    engine.start()
    for n_closed in (1, 2):
        wait_until(lambda: engine.status().last_error != "" and backend.n_closed == n_closed, "the bad end")  # noqa: B023 - at once
        wait_until(lambda: engine.status().state is EngineState.UNLOADED, "the unload")
        engine.wake()
    wait_until(lambda: backend.n_closed == 3, "the third load and its end")
    engine.stop()
    assert EngineState.STOPPED == engine.status().state


async def test_a_bad_end_of_the_program_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """Those who wait get their ending, the state is that of an end, and no traceback goes to the terminal."""
    backend = BadEnd(FakeScript(default="a" * 500))
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    backend.step_gate.clear()
    generation = engine.submit(request("x"))
    wait_until(backend.stepping.is_set, "a step")
    engine.stop()
    assert FinishReason.ABORTED == (await answer_of(generation)).reason
    assert EngineState.STOPPED == engine.status().state
    assert ("", "") == capfd.readouterr()


def test_a_backend_that_cannot_be_taken_over_is_a_failed_load() -> None:
    """A model that cannot say what it is ends the load, not the thread."""
    engine = Engine(Vague().load)
    engine.start()
    assert EngineState.FAILED == settled(engine)
    engine.stop()
    assert EngineState.STOPPED == engine.status().state

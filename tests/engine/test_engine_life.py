"""Loading, reloading, failing and stopping: what the state says, and what becomes of those who wait."""

from __future__ import annotations

import asyncio

import pytest

from codeassistd.engine.backend import Backend, LoadProgress
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import EngineState, FinishReason
from codeassistd.errors import DecodeError, NotReadyError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, running, settled, wait_until


async def test_while_loading_requests_are_refused() -> None:
    """The state tells the share that is loaded; `submit` says that it is not ready."""
    backend = FakeBackend(FakeScript(default="a"))
    backend.load_gate.clear()
    changes: list[tuple[EngineState, str]] = []
    engine = Engine(backend.load, on_change=lambda: changes.append((engine.status().state, engine.status().detail)))
    engine.start()
    wait_until(lambda: engine.status().load_progress == 0.5, "half of the load")
    with pytest.raises(NotReadyError, match="being loaded"):
        engine.submit(request("x"))
    backend.load_gate.set()
    assert EngineState.READY == settled(engine)
    assert "a" == (await answer_of(engine.submit(request("x")))).text
    engine.stop()
    assert (EngineState.READY, "") == changes[-1]
    assert (EngineState.LOADING, "50 %") in changes


async def test_a_failed_load_is_told_with_its_cause() -> None:
    """The thread lives on, requests get the cause, and a reload with a good model helps."""
    engine = Engine(FakeBackend(load_error="the file is cut off").load)
    engine.start()
    assert EngineState.FAILED == settled(engine)
    assert "the file is cut off" == engine.status().detail
    with pytest.raises(NotReadyError, match="the file is cut off"):
        engine.submit(request("x"))
    engine.reload(FakeBackend(FakeScript(default="b")).load)
    wait_until(lambda: engine.status().state is EngineState.READY, "the second load")
    assert "b" == (await answer_of(engine.submit(request("x")))).text
    engine.stop()


def test_a_fault_of_the_loader_is_a_failed_load() -> None:
    """An exception that nobody foresaw while loading is told like any other cause."""

    def broken(_progress: LoadProgress) -> Backend:
        raise ZeroDivisionError("oops")

    engine = Engine(broken)
    engine.start()
    assert EngineState.FAILED == settled(engine)
    assert "internal error: ZeroDivisionError: oops" == engine.status().detail
    engine.stop()


async def test_a_reload_that_fails_leaves_the_old_model_at_work() -> None:
    """The cause stands in the warnings; the next good reload takes it away."""
    old = FakeBackend(FakeScript(default="old"), warnings=("a fallback",))
    async with running(old) as engine:
        engine.reload(FakeBackend(load_error="no such file").load)
        wait_until(lambda: engine.status().last_error != "", "the failed reload")
        status = engine.status()
        assert EngineState.READY == status.state
        cause = "the other model could not be loaded, the old one goes on: no such file"
        assert ("a fallback", cause) == status.warnings
        assert "old" == (await answer_of(engine.submit(request("x")))).text
        assert 0 == old.n_closed
        engine.reload(FakeBackend(FakeScript(default="new")).load)
        wait_until(lambda: old.n_closed == 1, "the close of the old model")
        settled(engine)
        assert ("new", ()) == ((await answer_of(engine.submit(request("x")))).text, engine.status().warnings)


async def test_the_old_model_serves_while_another_one_is_loaded() -> None:
    """Requests are answered all the time, and by the new model as soon as it is there."""
    old, new = FakeBackend(FakeScript(default="old")), FakeBackend(FakeScript(default="new"))
    async with running(old) as engine:
        new.load_gate.clear()
        engine.reload(new.load)
        wait_until(lambda: engine.status().load_progress == 0.5, "half of the load of the new model")
        for number in range(3):
            assert "old" == (await answer_of(engine.submit(request(f"x{number}")))).text
        status = engine.status()
        assert (EngineState.READY, "another model is being loaded, 50 %") == (status.state, status.detail)
        assert 0 == old.n_closed
        new.load_gate.set()
        wait_until(lambda: old.n_closed == 1, "the close of the old model")
        wait_until(lambda: engine.vocabulary is new.vocabulary, "the new model")
        assert "new" == (await answer_of(engine.submit(request("x")))).text
        assert "" == engine.status().detail


async def test_a_second_reload_gives_the_first_one_up() -> None:
    """The newest choice counts; what was half loaded is left."""
    first, second = FakeBackend(FakeScript(default="first")), FakeBackend(FakeScript(default="second"))
    async with running(FakeBackend(FakeScript(default="old"))) as engine:
        first.load_gate.clear()
        engine.reload(first.load)
        wait_until(first.loading.is_set, "the first load")
        engine.reload(second.load)
        wait_until(lambda: engine.vocabulary is second.vocabulary, "the second load")
        assert "second" == (await answer_of(engine.submit(request("x")))).text
        assert not first.loading.is_set()
        assert () == engine.status().warnings


async def test_stopping_ends_a_load_beside_the_old_model() -> None:
    """Neither holds the end up, and both give their memory back."""
    old, new = FakeBackend(), FakeBackend()
    new.load_gate.clear()
    async with running(old) as engine:
        engine.reload(new.load)
        wait_until(new.loading.is_set, "the load")
    assert (1, False) == (old.n_closed, new.loading.is_set())


async def test_generations_of_a_replaced_model_end_with_an_error() -> None:
    """Token ids of one model mean nothing to another, so nothing goes over."""
    old = FakeBackend(FakeScript(default="a" * 500))
    async with running(old) as engine:
        old.step_gate.clear()
        generation = engine.submit(request("x", max_tokens=500))
        wait_until(old.stepping.is_set, "a step of the old model")
        engine.reload(FakeBackend().load)
        old.step_gate.set()
        answer = await answer_of(generation)
        assert (FinishReason.ERROR, "the model was replaced by another one") == (answer.reason, answer.ending.error)


async def test_stopping_ends_everything_with_aborted() -> None:
    """Running and waiting generations get their ending, the step in flight is left, and the memory is given back."""
    backend = FakeBackend(FakeScript(default="a" * 500), n_slots=1)
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    backend.step_gate.clear()
    generations = [engine.submit(request("x", client=str(number))) for number in range(3)]
    wait_until(backend.stepping.is_set, "a step")
    engine.stop()
    answers = await asyncio.gather(*map(answer_of, generations))
    assert [FinishReason.ABORTED] * 3 == [answer.reason for answer in answers]
    assert (1, 1) == (backend.n_interrupted, backend.n_closed)
    assert EngineState.STOPPED == engine.status().state
    engine.stop()
    assert 1 == backend.n_closed
    with pytest.raises(NotReadyError, match="stopped"):
        engine.submit(request("x"))
    with pytest.raises(NotReadyError, match="stopped"):
        engine.reload(backend.load)


def test_stopping_in_the_middle_of_a_load_gives_it_up() -> None:
    """A long load does not hold the end of the daemon up."""
    backend = FakeBackend()
    backend.load_gate.clear()
    engine = Engine(backend.load)
    engine.start()
    wait_until(backend.loading.is_set, "the load")
    engine.stop()
    assert EngineState.STOPPED == engine.status().state
    assert not backend.loading.is_set()


def test_an_engine_that_never_started_can_be_stopped() -> None:
    """`stop` is safe in every state."""
    engine = Engine(FakeBackend().load)
    engine.stop()
    assert EngineState.STOPPED == engine.status().state


async def test_a_failed_step_ends_those_that_ran_and_no_one_else() -> None:
    """The cache is cleared, the failure is counted and told, and the next request is fine."""
    backend = FakeBackend(FakeScript(default="abc"), n_slots=1)
    async with running(backend) as engine:
        backend.fail_step(DecodeError("injected"), after=1)
        backend.step_gate.clear()
        fails, waits = engine.submit(request("x", client="a")), engine.submit(request("y", client="b"))
        backend.step_gate.set()
        failed, served = await asyncio.gather(answer_of(fails), answer_of(waits))
        assert (FinishReason.ERROR, "injected", "a") == (failed.reason, failed.ending.error, failed.text)
        assert (FinishReason.STOP, "abc") == (served.reason, served.text)
        status = engine.status()
        assert (1, 1, "injected", 1) == (status.n_failed, status.n_finished, status.last_error, backend.n_cleared)
        assert status.last_error_at > 0
        assert "abc" == (await answer_of(engine.submit(request("x")))).text


async def test_an_unforeseen_fault_in_a_step_is_treated_like_a_failure() -> None:
    """The thread outlives every exception."""
    backend = FakeBackend(FakeScript(default="abc"))
    async with running(backend) as engine:
        for _ in range(3):
            backend.fail_step(ZeroDivisionError("oops"))
            answer = await answer_of(engine.submit(request("x")))
            assert "internal error: ZeroDivisionError: oops" == answer.ending.error
        assert "abc" == (await answer_of(engine.submit(request("x")))).text
        assert 3 == engine.status().n_failed


async def test_a_backend_that_cannot_even_clear_ends_those_that_wait() -> None:
    """Where no step can begin at all, everyone gets an error instead of waiting for ever."""

    class Broken(FakeBackend):
        def clear(self) -> None:
            """Fail."""
            raise DecodeError("cannot clear")

    backend = Broken(FakeScript(default="abc"))
    async with running(backend) as engine:
        backend.fail_step(DecodeError("injected"))
        errors = [(await answer_of(engine.submit(request("x")))).ending.error for _ in range(3)]
        assert ["injected", "cannot clear", "cannot clear"] == errors


async def test_a_listener_that_is_gone_does_not_stop_the_engine() -> None:
    """`on_change` of a caller whose loop is closed is no reason to end, nor to lose the model."""
    n_told = 0

    def gone() -> None:
        nonlocal n_told
        n_told += 1
        raise RuntimeError("Event loop is closed")

    engine = Engine(FakeBackend(FakeScript(default="abc")).load, on_change=gone)
    engine.start()
    assert EngineState.READY == settled(engine)
    assert "abc" == (await answer_of(engine.submit(request("x")))).text
    engine.stop()
    assert n_told >= 2

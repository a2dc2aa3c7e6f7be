"""Case 38, in the engine: what is cancelled stops, and leaves a cache that can be trusted."""

from __future__ import annotations

import asyncio

from codeassistd.engine.request import FinishReason, Priority
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.engines import answer_of, request, running, wait_until

LONG = "x = 1\n" * 333  # 1,998 tokens


async def test_cancel_while_a_long_prompt_is_read() -> None:
    """It stops within the piece that is being read, and what was read before stays cached."""
    backend = FakeBackend(FakeScript(default="answer"), n_batch=512)
    async with running(backend) as engine:
        backend.hold(after=1)
        generation = engine.submit(request(LONG))
        wait_until(lambda: len(backend.batches) == 2, "the second piece")
        generation.cancel()
        answer = await answer_of(generation)
        assert (FinishReason.ABORTED, "") == (answer.reason, answer.text)
        assert (2, 1) == (len(backend.batches), backend.n_interrupted)
        backend.step_gate.set()
        again = await answer_of(engine.submit(request(LONG)))
        # The first piece of a lone prompt, before anything was measured.
        assert ("answer", 128) == (again.text, again.ending.n_cached)


async def test_cancel_while_generating_costs_at_most_one_more_token() -> None:
    """The next request starts at once, and its answer is the one of a fresh cache."""
    backend = FakeBackend(FakeScript((Rule.after("b", "other"),), default="a" * 500))
    async with running(backend) as engine:
        generation = engine.submit(request("x", max_tokens=500))
        tokens = []
        async for token in generation:
            tokens.append(token)
            if len(tokens) == 5:
                backend.step_gate.clear()
                generation.cancel()
                n_batches = len(backend.batches)
                backend.step_gate.set()
        assert generation.ending is not None
        assert FinishReason.ABORTED == generation.ending.reason
        # One step may have been under way at the cancel, and its token may have been on its way to us.
        assert len(backend.batches) <= n_batches + 1
        answer = await answer_of(engine.submit(request("xb")))
        assert ("other", 1) == (answer.text, answer.ending.n_cached)


async def test_cancel_before_it_ran_or_after_it_ended() -> None:
    """Each gets exactly one ending, however often it is cancelled."""
    backend = FakeBackend(FakeScript(default="a"), n_slots=1)
    async with running(backend) as engine:
        backend.step_gate.clear()
        runs, waits = engine.submit(request("x")), engine.submit(request("y"))
        waits.cancel()
        waits.cancel()
        backend.step_gate.set()
        assert FinishReason.ABORTED == (await answer_of(waits)).reason
        assert FinishReason.STOP == (await answer_of(runs)).reason
        runs.cancel()
        assert runs.ending is not None
        assert FinishReason.STOP == runs.ending.reason
        assert ["x"] == backend.prompts
        assert (1, 1) == (engine.status().n_finished, engine.status().n_aborted)


async def test_cancelling_one_of_many_costs_the_others_nothing() -> None:
    """A step that reads for others too is not stopped for a small part of it, which costs that part one token."""
    backend = FakeBackend(FakeScript(default="abc"))
    async with running(backend) as engine:
        backend.hold(after=1)
        first = engine.submit(request("q"))
        wait_until(lambda: len(backend.batches) == 2, "a step to wait behind")
        small, big = engine.submit(request("x", client="a")), engine.submit(request("y" * 40, client="b"))
        first.cancel()
        backend.hold(after=0)
        backend.step_gate.set()
        wait_until(lambda: len(backend.batches[-1]) == 41, "the step that reads for both")
        small.cancel()
        backend.step_gate.set()
        answers = await asyncio.gather(answer_of(small), answer_of(big))
        assert [("a", FinishReason.ABORTED), ("abc", FinishReason.STOP)] == [(a.text, a.reason) for a in answers]
        assert 1 == sum(len(batch) == 41 for batch in backend.batches)


async def test_a_storm_of_cancels_does_not_starve_the_rest() -> None:
    """Steps that are stopped for others are read again, but never twice running: background work gets on."""
    backend = FakeBackend(FakeScript(default="done"), n_slots=2, n_batch=512)
    async with running(backend) as engine:
        background = engine.submit(request("b" * 40, client="b", priority=Priority.BACKGROUND))
        ended = asyncio.ensure_future(answer_of(background))
        n_cancelled = 0
        while not ended.done():
            backend.step_gate.clear()
            key_press = engine.submit(request(f"{n_cancelled}" + "k" * 300, client="a"))
            wait_until(
                lambda: backend.stepping.is_set() or engine.status().n_running + engine.status().n_waiting == 0,
                "a step",
            )
            key_press.cancel()
            backend.step_gate.set()
            await answer_of(key_press)
            n_cancelled += 1
            assert n_cancelled < 100
        assert "done" == (await ended).text

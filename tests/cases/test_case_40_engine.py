"""Case 40, in the engine: what was cancelled before it ran is never worked on."""

from __future__ import annotations

import asyncio

from codeassistd.engine.request import FinishReason
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, running, wait_until


async def test_fifty_dead_requests_behind_a_slow_one() -> None:
    """One slow request, fifty that are cancelled at once, one more: the backend sees at most two of the later ones."""
    backend = FakeBackend(FakeScript(default="a"))
    async with running(backend) as engine:
        backend.step_gate.clear()
        slow = engine.submit(request("slow", client="a"))
        wait_until(backend.stepping.is_set, "the slow step")
        dead = []
        for number in range(50):
            dead.append(engine.submit(request(f"dead {number}", client="b")))
            dead[-1].cancel()
        last = engine.submit(request("last", client="b"))
        backend.step_gate.set()
        answers = await asyncio.gather(*map(answer_of, [slow, *dead, last]))
        reasons = [answer.reason for answer in answers]
        assert [FinishReason.STOP, *[FinishReason.ABORTED] * 50, FinishReason.STOP] == reasons
        assert ["slow", "last"] == backend.prompts
        status = engine.status()
        assert (0, 0, 2, 50) == (status.n_running, status.n_waiting, status.n_finished, status.n_aborted)


async def test_cancelling_while_the_answer_is_on_its_way() -> None:
    """A cancel at every possible moment of a short answer: one ending each, no trace of an invalid state."""
    backend = FakeBackend(FakeScript(default="abc"))
    async with running(backend) as engine:
        for n_turns in range(30):
            generation = engine.submit(request("x"))
            task = asyncio.ensure_future(answer_of(generation))
            for _ in range(n_turns):
                await asyncio.sleep(0)
            generation.cancel()
            assert (await task).reason in {FinishReason.STOP, FinishReason.ABORTED}
        assert (0, 0) == (engine.status().n_running, engine.status().n_failed)


async def test_a_cancelled_reader_can_cancel_its_generation() -> None:
    """The task that reads is cancelled from outside: the generation can be ended after that."""
    backend = FakeBackend(FakeScript(default="a" * 500))
    async with running(backend) as engine:
        backend.step_gate.clear()
        generation = engine.submit(request("x", max_tokens=500))
        task = asyncio.ensure_future(answer_of(generation))
        wait_until(backend.stepping.is_set, "a step")
        await asyncio.sleep(0)
        task.cancel()
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
        generation.cancel()
        assert FinishReason.ABORTED == (await answer_of(generation)).reason
        backend.step_gate.set()

"""The engine's pace on the scripted backend: overtaking, threads and the figures of the status."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from codeassistd.engine.backend import Batch, Logits
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.engines import answer_of, request, running, settled, wait_until

RULES = FakeScript((Rule.after("key", "press"),), default="b" * 9)


async def test_a_key_press_stops_a_step_of_background_reading() -> None:
    """It does not wait for the end of that step; what was stopped is read again, and its answer is whole."""
    backend = FakeBackend(RULES)
    async with running(backend) as engine:
        backend.hold(after=0)
        background = engine.submit(request("x" * 300, priority=Priority.BACKGROUND, client="b"))
        wait_until(backend.stepping.is_set, "a step of the background work")
        key_press = engine.submit(request("key"))
        wait_until(lambda: len(backend.batches) == 2, "the step of the key press")
        assert (1, 3) == (backend.n_interrupted, len(backend.batches[1]))
        backend.step_gate.set()
        answers = [await answer_of(key_press), await answer_of(background)]
        assert [("press", FinishReason.STOP), ("b" * 9, FinishReason.STOP)] == [(a.text, a.reason) for a in answers]


async def test_only_a_visible_completion_overtakes() -> None:
    """Chats wait for the end of the step, and a step that writes for anyone is not stopped."""
    backend = FakeBackend(RULES)
    async with running(backend) as engine:
        backend.hold(after=0)
        reads = engine.submit(request("x" * 30, priority=Priority.BACKGROUND, client="b"))
        wait_until(backend.stepping.is_set, "a step of the background work")
        chat = engine.submit(request("key", priority=Priority.CHAT, client="c"))
        backend.step_gate.set()
        answers = await asyncio.gather(answer_of(chat), answer_of(reads))
        assert ["press", "b" * 9] == [answer.text for answer in answers]
        backend.hold(after=1)
        writes = engine.submit(request("y" * 30, priority=Priority.BACKGROUND, client="b"))
        wait_until(lambda: len(backend.batches[-1]) == 1 and backend.stepping.is_set(), "a step that writes")
        key_press = engine.submit(request("key"))
        backend.step_gate.set()
        answers = await asyncio.gather(answer_of(key_press), answer_of(writes))
        assert ["press", "b" * 9] == [answer.text for answer in answers]
        assert 0 == backend.n_interrupted


async def test_key_presses_do_not_starve_what_they_overtake() -> None:
    """A step that comes after a stopped one is not stopped for a key press."""
    backend = FakeBackend(RULES)
    async with running(backend) as engine:
        backend.hold(after=0)
        background = engine.submit(request("x" * 300, priority=Priority.BACKGROUND, client="b"))
        wait_until(backend.stepping.is_set, "a step of the background work")
        first = engine.submit(request("key"))
        wait_until(lambda: len(backend.batches) == 2 and backend.stepping.is_set(), "the step of the key press")
        first.cancel()
        wait_until(lambda: len(backend.batches) == 3 and backend.stepping.is_set(), "the background work again")
        second = engine.submit(request("key", client="other"))
        backend.step_gate.set()
        assert "press" == (await answer_of(second)).text
        assert "b" * 9 == (await answer_of(background)).text
        assert 2 == backend.n_interrupted


async def test_the_time_from_a_cancel_to_its_end_is_told() -> None:
    """By the clock, from the call of `cancel` to the step after which nothing is left of the sequence."""
    backend, clock = FakeBackend(RULES), FakeClock()
    engine = Engine(backend.load, clock)
    engine.start()
    settled(engine)
    assert (0.0, 0.0) == (engine.status().cancel_to_idle_ms_p50, engine.status().cancel_to_idle_ms_p99)
    backend.hold(after=1)
    stays = engine.submit(request("x" * 40, client="a"))
    wait_until(lambda: len(backend.batches) == 2 and backend.stepping.is_set(), "a step of the stream")
    goes = engine.submit(request("key", client="b"))
    goes.cancel()
    await clock.advance(0.25)
    backend.step_gate.set()
    await asyncio.gather(answer_of(stays), answer_of(goes))
    status = engine.status()
    engine.stop()
    assert (250.0, 250.0) == (status.cancel_to_idle_ms_p50, status.cancel_to_idle_ms_p99)


async def test_the_goal_of_a_step_is_told() -> None:
    """By default 60 ms on a processor; what the options say otherwise."""
    async with running(FakeBackend()) as engine:
        assert (60.0, 1) == (engine.status().step_goal_ms, engine.status().n_threads)
    engine = Engine(FakeBackend().load, options=EngineOptions(step_ms=25.0))
    engine.start()
    settled(engine)
    assert 25.0 == engine.status().step_goal_ms
    engine.stop()


@dataclass(slots=True)
class SlowingBackend(FakeBackend):
    """A backend whose steps take time by a clock of the test: each thread beyond the first halves it, if it helps."""

    clock: FakeClock = field(default_factory=FakeClock)
    is_taken: bool = False

    def decode(self, batch: Batch) -> Logits | None:
        """Read the batch, while the clock goes on."""
        n_threads = self.threads[-1] if self.threads else self.n_threads
        ms = 20.0 / n_threads if not self.is_taken else 30.0 * n_threads**2
        asyncio.run(self.clock.advance(ms / 1000))
        return FakeBackend.decode(self, batch)


def test_a_taken_machine_gets_fewer_threads() -> None:
    """The stepper sets them in the backend, from the steps' own times, and gives them back when the load is gone."""
    backend = SlowingBackend(FakeScript(default="b" * 300), n_threads=2)
    backend.load(lambda _share: True)
    stepper = Stepper(backend, backend.clock, Totals(), lambda _backend, _step, batch: backend.decode(batch))
    prompt = tuple(backend.vocabulary.tokenize("x"))
    request = GenerateRequest(prompt, SamplingParams(max_tokens=300), max_draft=0)
    stepper.scheduler.add(Sequence(request))

    def steps(n_steps: int) -> list[int]:
        for _ in range(n_steps):
            stepper.step()
        return backend.threads

    assert [] == steps(20)
    backend.is_taken = True
    assert [1] == steps(20)
    backend.is_taken = False
    assert [1, 2] == steps(100)
    assert {"decode 1": 10.0} == {k: v for k, v in stepper.meter.pace.medians().items() if k == "decode 1"}

"""What becomes of a request that is not answered in time: nothing that was read is read again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from codeassistd.completion.types import CompletionRequest, Trigger
from codeassistd.config import ContextSettings
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import FinishReason, Priority
from codeassistd.metrics.spans import Outcome
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.completing import Bench, cursor
from tests.support.engines import settled, wait_until

LONG = "".join(f"value_{n} = {n}\n" for n in range(40))
DEADLINE_S = 2.0


@dataclass
class Cold:
    """A service on a real engine whose model reads 64 tokens a step and stands still at the fourth step."""

    backend: FakeBackend
    engine: Engine
    bench: Bench

    async def miss(self, request: CompletionRequest) -> None:
        """Ask, and let the deadline pass while three steps are read and the model stands in the fourth."""
        self.backend.hold(after=3)
        running = asyncio.create_task(self.bench.service.complete(request))
        await asyncio.sleep(0)
        wait_until(lambda: not self.backend.step_gate.is_set(), "the held step")
        await self.bench.clock.advance(DEADLINE_S)
        result = await running
        assert (None, Outcome.DEADLINE) == (result.suggestion, result.span.outcome)


@pytest.fixture
def cold() -> Iterator[Cold]:
    backend = FakeBackend(FakeScript(default="1"), n_batch=64)
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    bench = Bench()
    bench.service._asking._engine = engine
    yield Cold(backend, engine, bench)
    backend.step_gate.set()
    engine.stop()
    assert [] == backend.violations


def key(typed: str) -> CompletionRequest:
    """A request after some letters in a prompt of more than 256 tokens."""
    return replace(cursor(f"{LONG}{typed}|"), context=ContextSettings(max_tokens=300))


async def test_what_was_read_before_the_deadline_is_kept(cold: Cold) -> None:
    """The next key comes at once: its request goes on from where the last one was."""
    await cold.miss(key("x ="))
    running = asyncio.create_task(cold.bench.service.complete(key("x = ")))
    await asyncio.sleep(0)
    cold.backend.step_gate.set()
    result = await running

    assert Outcome.SHOWN == result.span.outcome
    assert 192 <= result.span.n_cached


async def test_the_rest_is_read_after_the_deadline(cold: Cold) -> None:
    """A key that comes later finds the place warm: only what is new has to be read."""
    await cold.miss(key("x = "))
    cold.backend.step_gate.set()
    wait_until(lambda: cold.engine.status().n_finished == 1, "the reading to go on to its end")
    result = await cold.bench.service.complete(key("x = "))

    assert Outcome.SHOWN == result.span.outcome
    assert result.span.n_prompt - 1 == result.span.n_cached > 200


@pytest.mark.parametrize("trigger", list(Trigger))
async def test_reading_goes_on_behind_everything_until_the_next_request(trigger: Trigger) -> None:
    """The same prompt without output; whoever asks next in this document ends it."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor(trigger=trigger)))
    await bench.engine.play(0)
    await bench.clock.advance(DEADLINE_S)
    await running
    missed, reading = bench.engine.plays
    assert (1, 0) == (missed.n_cancelled, reading.n_cancelled)
    assert (Priority.PREWARM, 0) == (reading.request.priority, reading.request.params.max_tokens)
    assert missed.request.prompt == reading.request.prompt
    await bench.complete(cursor(), "1")
    assert 1 == reading.n_cancelled


async def test_an_answer_that_has_begun_is_not_read_again() -> None:
    """Its prompt is in the cache already."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor()))
    (await bench.engine.play(0)).say("a", " +")
    await bench.clock.advance(DEADLINE_S)
    await running
    assert 1 == len(bench.engine.plays)


async def test_the_span_counts_what_was_sent_and_shown() -> None:
    """Until the engine has let go and told its figures; the share of reused tokens is not skewed by guesses."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor()))
    play = await bench.engine.play(0)
    play.lets_go = False
    play.say("a", " +")
    await bench.clock.advance(DEADLINE_S)
    span = (await running).span
    assert (Outcome.SHOWN, False) == (span.outcome, span.is_measured)
    assert (len(play.request.prompt), 0, 2) == (span.n_prompt, span.n_cached, span.n_output)
    assert (0, 0) == (bench.spans.n_prompt, bench.spans.n_cached)

    play.end(FinishReason.ABORTED)
    await bench.clock.advance(0.0)
    assert span.is_measured
    assert (span.n_prompt, span.n_prompt - 1) == (bench.spans.n_prompt, bench.spans.n_cached)


async def test_a_cancelled_requests_span_counts_too() -> None:
    """The prompt that was sent, and the tokens that came."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor()))
    play = await bench.engine.play(0)
    play.say("a")
    await bench.clock.advance(0.1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    span = bench.spans.last()
    assert span is not None
    assert (Outcome.CANCELLED, len(play.request.prompt), 1) == (span.outcome, span.n_prompt, span.n_output)

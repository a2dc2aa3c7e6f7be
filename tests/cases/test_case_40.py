"""Case 40, through the service: a queue of dead requests is never worked off."""

from __future__ import annotations

import asyncio
import logging

import pytest

from codeassistd.engine.engine import Engine
from codeassistd.metrics.spans import Outcome
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.completing import Bench, cursor
from tests.support.engines import settled, wait_until


async def test_fifty_cancelled_requests_cost_next_to_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """One slow request, 50 pairs of request and cancel, and one more: the last is answered, and nothing is left."""
    backend = FakeBackend(FakeScript(default="1"))
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    bench = Bench()
    bench.service._asking._engine = engine
    backend.hold(after=0)
    slow = asyncio.create_task(bench.service.complete(cursor("a = |", path="/home/ada/shop/slow.py")))
    await asyncio.sleep(0)
    wait_until(lambda: not backend.step_gate.is_set(), "the slow step")
    with caplog.at_level(logging.WARNING):
        for number in range(50):
            dead = asyncio.create_task(bench.service.complete(cursor(f"x{number} = |")))
            await asyncio.sleep(0)
            dead.cancel()
            await asyncio.gather(dead, return_exceptions=True)
        last = asyncio.create_task(bench.service.complete(cursor("y = |")))
        await asyncio.sleep(0)
        backend.step_gate.set()
        results = await asyncio.gather(slow, last)

    assert [Outcome.SHOWN, Outcome.SHOWN] == [result.span.outcome for result in results]
    assert 2 >= sum("x" in prompt for prompt in backend.prompts)
    assert [] == caplog.records
    wait_until(lambda: engine.status().n_running + engine.status().n_waiting == 0, "the engine's rest")
    assert 50 == bench.spans.counts[Outcome.CANCELLED]
    assert not bench.service._walks
    engine.stop()
    assert [] == backend.violations

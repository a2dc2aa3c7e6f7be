"""Case 39, through the service: two editors take turns, and neither is in the other's way."""

from __future__ import annotations

import asyncio

from codeassistd.engine.engine import Engine
from codeassistd.metrics.spans import Outcome
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.completing import Bench, cursor
from tests.support.engines import settled


async def test_two_editors_take_turns_for_forty_requests() -> None:
    """Both have the same file open, with other texts: each gets an item for its own, every time."""
    backend = FakeBackend(FakeScript(default="1"))
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    bench = Bench()
    bench.service._asking._engine = engine
    for number in range(20):
        requests = [cursor(f"{name}{number} = |", client=name) for name in ("ada", "bob")]
        results = await asyncio.gather(*(bench.service.complete(request) for request in requests))
        assert ["1", "1"] == [result.suggestion.text for result in results if result.suggestion is not None]

    assert {Outcome.SHOWN: 40} == bench.spans.counts
    engine.stop()
    assert [] == backend.violations

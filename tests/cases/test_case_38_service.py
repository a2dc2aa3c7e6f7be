"""Case 38, through the service: what the user dismisses stops, and leaves nothing that could be wrong."""

from __future__ import annotations

import asyncio

import pytest

from codeassistd.metrics.spans import Outcome, Source
from tests.support.completing import Bench, cursor


@pytest.mark.parametrize("n_tokens", [0, 3])
async def test_a_dismissed_request_stops_at_once(n_tokens: int) -> None:
    """While its prompt is read and while it is written; the next one asks anew, and gets the whole answer."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    play.say(*" pr"[:n_tokens])
    await bench.clock.advance(0.0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (1, Outcome.CANCELLED) == (play.n_cancelled, bench.spans.recent()[-1].outcome)

    result = await bench.complete(cursor("x = |"), " price")
    assert result.suggestion is not None
    assert ("price", Source.ENGINE) == (result.suggestion.text, result.span.source)


async def test_a_lost_editor_stops_everything_of_its_own() -> None:
    """Whatever it waited for, and what was worked out ahead for it."""
    bench = Bench()
    await bench.complete(cursor("a = |"), " b")
    await bench.clock.advance(1.0)
    running = asyncio.create_task(bench.service.complete(cursor("x = |", path="/home/ada/shop/other.py")))
    await bench.engine.play(2)
    bench.service.client_gone("s1")
    await running
    assert [0, 1, 1] == [play.n_cancelled for play in bench.engine.plays]

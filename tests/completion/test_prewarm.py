"""Prompts that are read before anybody asks."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from codeassistd.config import ContextSettings
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import EngineState, Priority
from codeassistd.errors import EngineError
from codeassistd.metrics.spans import Outcome
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.text import Text
from tests.support.completing import Bench, cursor
from tests.support.engines import settled, wait_until

LONG = "".join(f"value_{n} = {n}\n" for n in range(40))


async def test_a_prompt_is_read_below_all_completions_and_nothing_is_written() -> None:
    """The same prompt as the completion of that place would have, without any output."""
    bench = Bench()
    bench.service.prewarm(cursor())
    await bench.complete(cursor(), "1")
    prewarm, completion = bench.engine.plays
    assert (Priority.PREWARM, 0, "s1") == (
        prewarm.request.priority,
        prewarm.request.params.max_tokens,
        prewarm.request.client,
    )
    assert completion.request.prompt == prewarm.request.prompt


async def test_a_request_of_the_document_ends_it_and_another_document_does_not() -> None:
    """So it can never hold up what it is for."""
    bench = Bench()
    bench.service.prewarm(cursor())
    await bench.complete(cursor(path="/home/ada/shop/other.py"), "1")
    assert 0 == bench.engine.plays[0].n_cancelled
    await bench.complete(cursor(), "1")
    assert 1 == bench.engine.plays[0].n_cancelled


async def test_a_newer_one_takes_its_place_and_the_editors_end_ends_all() -> None:
    """There is one for each document of each editor."""
    bench = Bench()
    bench.service.prewarm(cursor())
    bench.service.prewarm(cursor())
    bench.service.prewarm(cursor(client="s2"))
    bench.service.client_gone("s1")
    assert [1, 1, 0] == [play.n_cancelled for play in bench.engine.plays]


async def test_what_may_not_be_read_is_not() -> None:
    """Secret files, languages without suggestions, texts that are not known, and a model that is not there."""
    bench = Bench()
    bench.service.prewarm(cursor(path="/home/ada/shop/.env"))
    bench.service.prewarm(cursor(languages_off=["python"]))
    bench.service.prewarm(cursor(in_sync=False))
    bench.engine.state = EngineState.LOADING
    bench.service.prewarm(cursor())
    bench.engine.state, bench.engine.error = EngineState.READY, EngineError("no room")
    bench.service.prewarm(cursor())
    assert [] == bench.engine.plays


async def test_a_cursor_that_rests_where_nothing_is_suggested_is_read_for() -> None:
    """The next letter may be where something is."""
    bench = Bench()
    result = await bench.complete(cursor("va|lue = 1"))
    assert Outcome.SILENT == result.span.outcome
    assert [Priority.PREWARM] == [play.request.priority for play in bench.engine.plays]


async def test_the_request_that_follows_reads_only_what_is_new() -> None:
    """Whether the pre-warm had ended or was cut short by it."""
    backend = FakeBackend(FakeScript(default="x"), n_batch=64)
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    bench = Bench()
    bench.service._asking._engine = engine
    request = replace(cursor(LONG + "x = |"), context=ContextSettings(max_tokens=300))
    bench.service.prewarm(request)
    wait_until(lambda: engine.status().n_finished == 1, "the pre-warm")
    result = await bench.service.complete(request)
    assert result.span.n_prompt - 1 == result.span.n_cached > 200

    other = replace(request, document=replace(request.document, uri="file:///b.py", text=Text.of("# b\n" + LONG)))
    backend.hold(after=3)
    bench.service.prewarm(replace(other, offset=len(other.document.text)))
    wait_until(lambda: not backend.step_gate.is_set(), "a pre-warm half-way")
    completing = asyncio.create_task(bench.service.complete(replace(other, offset=len(other.document.text))))
    await asyncio.sleep(0)
    backend.step_gate.set()
    result = await completing
    assert result.span.n_cached >= 192
    engine.stop()
    assert [] == backend.violations

"""A burst of fast keys: it must not start work for each, and must not slow down who waits for answers."""

from __future__ import annotations

import asyncio

from codeassistd.completion.types import CompletionResult, Trigger
from codeassistd.metrics.spans import Outcome
from tests.support.completing import Bench, cursor

KEYS = "qwertyuiop"
FIRST_S = 0.12


async def _learn(bench: Bench) -> None:
    """One answer, so that it is known how long the model takes to say something."""
    running = asyncio.create_task(bench.service.complete(cursor("a = |")))
    play = await bench.engine.play(0)
    await bench.clock.advance(FIRST_S)
    play.say(" b")
    play.end()
    await running
    await bench.clock.advance(5.0)


async def _type(bench: Bench, interval_s: float, **request: Trigger) -> list[asyncio.Task[CompletionResult]]:
    """Each key contradicts what the engine begins to write, once it does."""
    tasks = []
    begun_s = {id(play): 0.0 for play in bench.engine.plays}
    for n_keys in range(1, len(KEYS) + 1):
        tasks.append(asyncio.create_task(bench.service.complete(cursor(f"x = {KEYS[:n_keys]}|", **request))))
        await bench.clock.advance(0.0)
        for play in bench.engine.plays:
            begun_s.setdefault(id(play), bench.clock.monotonic_s())
        await bench.clock.advance(interval_s)
        play = bench.engine.plays[-1]
        if not play.n_output and bench.clock.monotonic_s() - begun_s[id(play)] >= FIRST_S:
            play.say("-")
            await bench.clock.advance(0.0)
    return tasks


async def test_a_burst_before_a_slow_model_starts_work_for_its_first_keys_and_its_last_one() -> None:
    """Once they have turned out wrong, each key is waited out; the last one pays a bit more than one interval."""
    bench = Bench()
    await _learn(bench)
    n_before = len(bench.engine.plays)
    tasks = await _type(bench, 0.05)
    assert 1 == len(bench.engine.plays) - n_before
    await bench.clock.advance(0.02)
    assert 2 == len(bench.engine.plays) - n_before
    bench.engine.plays[-1].end()
    result = await tasks[-1]

    assert 64.0 < result.span.pause_ms < 66.0
    assert [Outcome.SUPERSEDED] * 9 == [task.result().span.outcome for task in tasks[:-1]]


async def test_who_types_slower_than_the_model_begins_never_waits() -> None:
    """All work starts at once, and goes on if the next key is what it says."""
    bench = Bench()
    await _learn(bench)
    n_before = len(bench.engine.plays)
    tasks = await _type(bench, 0.13)
    bench.engine.plays[-1].end()
    await asyncio.gather(*tasks)

    assert len(KEYS) == len(bench.engine.plays) - n_before
    assert [0.0] * len(KEYS) == [task.result().span.pause_ms for task in tasks]


async def test_who_asks_by_hand_never_waits() -> None:
    """Nor does that say anything about a rhythm."""
    bench = Bench()
    await _learn(bench)
    tasks = await _type(bench, 0.05, trigger=Trigger.INVOKED)
    bench.engine.answers.append("-")
    bench.engine.plays[-1].end()
    await asyncio.gather(*tasks)
    assert [0.0] * len(KEYS) == [task.result().span.pause_ms for task in tasks]


async def test_who_waits_for_each_answer_never_waits_longer() -> None:
    """A client that types on at each answer, however fast that comes, is in no burst."""
    bench = Bench()
    await _learn(bench)
    spans = []
    for n_keys in range(1, len(KEYS) + 1):
        spans.append((await bench.complete(cursor(f"x = {KEYS[:n_keys]}|"), "-")).span)
        await bench.clock.advance(0.01)
    assert [0.0] * len(KEYS) == [span.pause_ms for span in spans]


async def test_a_new_line_is_not_waited_for() -> None:
    """People stop there."""
    bench = Bench()
    await _learn(bench)
    await _type(bench, 0.05)
    n_before = len(bench.engine.plays)
    task = asyncio.create_task(bench.service.complete(cursor(f"x = {KEYS}\n|")))
    await bench.clock.advance(0.0)
    assert 1 == len(bench.engine.plays) - n_before
    bench.engine.plays[-1].end()
    assert 0.0 == (await task).span.pause_ms


async def test_a_prompt_that_is_still_being_read_is_not_waited_for() -> None:
    """What is read for one key is read for all: to stop reading would only delay the last of them."""
    bench = Bench()
    await _learn(bench)
    other, n_before = "/home/ada/shop/other.py", len(bench.engine.plays)
    for n_keys in range(1, 6):
        running = asyncio.create_task(bench.service.complete(cursor(f"x = {KEYS[:n_keys]}|", path=other)))
        await bench.clock.advance(0.05)
    assert 1 == len(bench.engine.plays) - n_before
    assert 0 == bench.engine.plays[-1].n_cancelled
    bench.engine.answers.append("-")
    bench.engine.plays[-1].end()
    await bench.clock.advance(0.07)
    await running

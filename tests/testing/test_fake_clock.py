"""The clock that tests move."""

from __future__ import annotations

import asyncio

from codeassistd.testing.fake_clock import FakeClock


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    """Each wakes at its own time and sees that time, whatever the order they went to sleep in."""
    clock = FakeClock()
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic_s()))

    tasks = [asyncio.create_task(sleeper(name, seconds)) for name, seconds in (("c", 3), ("a", 1), ("b", 1), ("d", 9))]
    await clock.advance(5)
    assert [("a", 1), ("b", 1), ("c", 3)] == woken
    assert (5, 1) == (clock.monotonic_s(), clock.n_sleeping)
    await clock.advance(4)
    assert ("d", 9) == woken[-1]
    await asyncio.gather(*tasks)


async def test_a_woken_sleeper_may_sleep_again() -> None:
    """A loop that sleeps one second at a time runs ten times in ten seconds."""
    clock = FakeClock(wall_s=100.0)
    seen: list[float] = []

    async def ticker() -> None:
        while True:
            await clock.sleep(1)
            seen.append(clock.wall_s())

    task = asyncio.create_task(ticker())
    await clock.advance(10)
    assert [100.0 + second for second in range(1, 11)] == seen
    task.cancel()


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    """Nothing waits for it, and time goes on."""
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(1))
    await clock.advance(0)
    assert 1 == clock.n_sleeping
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert 0 == clock.n_sleeping
    await clock.advance(2)
    assert 2 == clock.monotonic_s()


async def test_sleeping_for_nothing_does_not_wait() -> None:
    """Zero or less gives others a turn and goes on."""
    await FakeClock().sleep(0)
    await FakeClock().sleep(-1)

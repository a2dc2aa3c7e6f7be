"""Quiet for a while."""

from __future__ import annotations

import asyncio

from codeassistd.completion.snooze import Snooze
from codeassistd.testing.fake_clock import FakeClock


async def test_it_lasts_as_long_as_asked_and_tells_its_end() -> None:
    """Who shows it hears when it begins and when it is over."""
    clock, told = FakeClock(), []
    snooze = Snooze(clock, lambda: told.append(snooze.left_s))
    snooze.begin(2)
    await clock.advance(119)
    left = snooze.left_s
    await clock.advance(1)

    assert 1.0 == left
    assert 0.0 == snooze.left_s
    assert [120.0, 0.0] == told


async def test_a_newer_wish_replaces_the_older() -> None:
    """Shorter or longer; 0 ends it, and nothing is left that waits."""
    clock = FakeClock()
    snooze = Snooze(clock, lambda: None)
    snooze.begin(60)
    snooze.begin(1)
    shorter = snooze.left_s
    snooze.begin(0)
    await asyncio.sleep(0)

    assert (60.0, 0.0, 0) == (shorter, snooze.left_s, clock.n_sleeping)

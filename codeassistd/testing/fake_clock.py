"""A clock that tests move by hand: nothing waits for real time."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

__all__ = ["FakeClock"]


class FakeClock:
    """Implements `codeassistd.clock.Clock`; `advance` is the only thing that lets time pass."""

    def __init__(self, monotonic_s: float = 0.0, wall_s: float = 1_750_000_000.0) -> None:
        self._now_s = monotonic_s
        self._wall_offset_s = wall_s - monotonic_s
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def monotonic_s(self) -> float:
        """Seconds as set by `advance`."""
        return self._now_s

    def wall_s(self) -> float:
        """Seconds since 1970; moves together with the monotonic time."""
        return self._now_s + self._wall_offset_s

    @property
    def n_sleeping(self) -> int:
        """How many tasks wait in `sleep`."""
        return sum(1 for _, _, waiter in self._sleepers if not waiter.done())

    async def sleep(self, seconds: float) -> None:
        """Wait until `advance` has passed that time; not at all for 0 or less, but let others run."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now_s + seconds, next(self._order), waiter))
        await waiter

    async def advance(self, seconds: float) -> None:
        """Let time pass; sleepers wake in the order of their times, each at its own, and run before the next wakes."""
        end_s = self._now_s + seconds
        await _settle()
        while self._sleepers and self._sleepers[0][0] <= end_s:
            self._now_s, _, waiter = heapq.heappop(self._sleepers)
            if not waiter.done():
                waiter.set_result(None)
                await _settle()
        self._now_s = end_s
        await _settle()


async def _settle() -> None:
    # Enough turns of the loop for a woken task to run on to its next wait through a few awaits.
    for _ in range(10):
        await asyncio.sleep(0)

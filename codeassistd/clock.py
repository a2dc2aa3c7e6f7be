"""The one door to time: everything that waits or measures takes a `Clock`."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Protocol

__all__ = ["Clock", "SystemClock", "processes_time_s", "thread_time_s"]


class Clock(Protocol):
    """Time as the program sees it; `codeassistd.testing` has one that tests move by hand."""

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    def wall_s(self) -> float:
        """Seconds since 1970, for what people read."""

    async def sleep(self, seconds: float) -> None:
        """Wait without holding the loop."""


class SystemClock:
    """The real time."""

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        return time.perf_counter()

    def wall_s(self) -> float:
        """Seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait without holding the loop."""
        await asyncio.sleep(seconds)


def thread_time_s() -> float:
    """Processor time of this thread: what other programs do does not lengthen it."""
    return time.thread_time()


def processes_time_s() -> float:
    """Processor time of this process and of its children that have ended; on Windows of this process alone."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system

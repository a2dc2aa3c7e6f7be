"""The user wants quiet for a while: no suggestions unasked, in any editor, until the time is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from codeassistd.clock import Clock

__all__ = ["DEFAULT_MINUTES", "MAX_MINUTES", "Snooze"]

DEFAULT_MINUTES = 30
MAX_MINUTES = 24 * 60
_S_PER_MINUTE = 60.0


class Snooze:
    """One for the whole daemon, used on the loop's thread; `on_change` is called when it begins and ends."""

    def __init__(self, clock: Clock, on_change: Callable[[], None]) -> None:
        self._clock = clock
        self._on_change = on_change
        self._until_s = 0.0
        self._waking: asyncio.Task[None] | None = None

    @property
    def left_s(self) -> float:
        """Seconds until it is over; 0 while there is none."""
        return max(0.0, self._until_s - self._clock.monotonic_s())

    def begin(self, minutes: int) -> None:
        """Be quiet for so many minutes from now, in place of what was asked before; 0 ends it."""
        self.close()
        self._until_s = self._clock.monotonic_s() + minutes * _S_PER_MINUTE
        if minutes:
            self._waking = asyncio.get_running_loop().create_task(self._wake(minutes * _S_PER_MINUTE))
        self._on_change()

    def close(self) -> None:
        """Let go of what waits for its end."""
        if self._waking is not None:
            self._waking.cancel()
            self._waking = None

    async def _wake(self, after_s: float) -> None:
        await self._clock.sleep(after_s)
        self._waking = None
        self._on_change()

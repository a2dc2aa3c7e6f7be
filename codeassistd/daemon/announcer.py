"""Tells whoever wants to know that something may have changed.

The engine and the indexer report from their own threads; the listeners (status notifications, progress) live on the
loop. `announce` is the one crossing: any number of calls before the loop gets to run become one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Announcer"]


class Announcer:
    """Calls its subscribers on the loop, soon after `announce` was called on any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._callbacks: list[Callable[[], None]] = []
        self._pending = False

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` on the loop after every announcement; returns the way to stop that."""
        self._callbacks.append(callback)

        def unsubscribe() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return unsubscribe

    def announce(self) -> None:
        """Something may have changed; may be called from any thread, also after the loop is closed."""
        # Two threads that both see False only make one call too many.
        if self._pending or self._loop.is_closed():
            return
        self._pending = True
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:
            # The loop was closed between the look and the call: nobody is left to tell.
            return

    def _deliver(self) -> None:
        # Lowered first: an announcement made while the callbacks run must not get lost.
        self._pending = False
        for callback in tuple(self._callbacks):
            callback()

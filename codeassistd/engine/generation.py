"""The stream that a caller gets: tokens as they come, then one ending.

Made on the caller's asyncio loop; the engine's thread hands tokens over with one thread hop each and never touches the
stream itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Self

from codeassistd.engine.request import Ending, Token

__all__ = ["Generation"]


class Generation:
    """One running generation: iterate over it once, on the loop that it was submitted on.

    Whoever stops iterating early calls `cancel`, or the engine goes on to `max_tokens`.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, on_cancel: Callable[[], None]) -> None:
        self._loop = loop
        self._on_cancel = on_cancel
        self._arrived: deque[Token | Ending] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._ending: Ending | None = None

    @property
    def ending(self) -> Ending | None:
        """How it ended; None until the iteration is over."""
        return self._ending

    def cancel(self) -> None:
        """Stop it; the iteration ends with `aborted` as soon as the engine let go.

        May be called from any thread, at any time and more than once; what has ended stays as it ended.
        """
        self._on_cancel()

    def deliver(self, item: Token | Ending) -> None:
        """Hand a token or the ending over; called by the engine, from its own thread."""
        try:
            self._loop.call_soon_threadsafe(self._arrive, item)
        except RuntimeError:
            # The loop is closed, so nobody can be waiting any more.
            self._on_cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Token:
        while not self._arrived:
            if self._ending is not None:
                raise StopAsyncIteration
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        item = self._arrived.popleft()
        if isinstance(item, Ending):
            self._ending = item
            raise StopAsyncIteration
        return item

    def _arrive(self, item: Token | Ending) -> None:
        self._arrived.append(item)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

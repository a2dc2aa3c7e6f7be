"""Keeps conversations on disk, on a thread of its own: nothing on the loop waits for a disk without knowing it.

What goes wrong with the disk costs the keeping and nothing else: a conversation goes on in memory, and `problem` says
why it is not kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from codeassistd.chat.conversation import Conversation, ConversationKey, Listed
from codeassistd.chat.request import RawOutput
from codeassistd.chat.store import ChatStore, open_or_remake
from codeassistd.chat.summary import Memory
from codeassistd.chat.turn import Turn
from codeassistd.clock import Clock
from codeassistd.errors import CodeassistdError

__all__ = ["Archive"]

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class Archive:
    """The one writer of the store in this process; used on the loop's thread.

    Attributes:
        problem: why nothing can be kept, in one line; empty if all is well.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="chat-archive")
        self._is_closed = False
        # From here on: the thread's own; `problem` is read elsewhere.
        self._store: ChatStore | None = None
        self.problem = ""

    async def load(self, key: ConversationKey) -> Conversation | None:
        """A conversation; an empty one where there is none, and None where that cannot be found out."""
        return await self._kept(lambda store: store.conversation(key), None)

    async def listed(self, root: str) -> list[Listed]:
        """The conversations of a workspace, the newest first."""
        return await self._kept(lambda store: store.listed(root), [])

    async def delete(self, key: ConversationKey) -> bool:
        """Forget a conversation; whether there was one.

        Raises:
            StoreError: that cannot be done.
        """
        return await self._asked(lambda store: store.delete(key))

    async def purge(self, root: str | None) -> int:
        """Forget all conversations, or those of a workspace; how many there were.

        Raises:
            StoreError: that cannot be done.
        """
        return await self._asked(lambda store: store.purge(root))

    def put_turns(self, key: ConversationKey, turns: Sequence[Turn]) -> None:
        """Keep turns; returns at once."""
        now_s = self._clock.wall_s()
        self._later(lambda store: store.put_turns(key, turns, now_s))

    def put_outputs(self, key: ConversationKey, turn: int, outputs: Sequence[RawOutput]) -> None:
        """Keep the outputs of a turn in full; returns at once."""
        now_s = self._clock.wall_s()
        self._later(lambda store: store.put_outputs(key, turn, outputs, now_s))

    def put_memory(self, key: ConversationKey, memory: Memory) -> None:
        """Keep a summary; returns at once."""
        now_s = self._clock.wall_s()
        self._later(lambda store: store.put_memory(key, memory, now_s))

    def close(self) -> None:
        """Write what still waits, and give the file back; blocks for as long as that takes."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._end)
            self._thread.shutdown(wait=True)

    def _later(self, work: Callable[[ChatStore], None]) -> None:
        if not self._is_closed:
            self._thread.submit(self._guarded, work, None)

    async def _kept(self, work: Callable[[ChatStore], _Result], otherwise: _Result) -> _Result:
        if self._is_closed:
            return otherwise
        return await asyncio.wrap_future(self._thread.submit(self._guarded, work, otherwise))

    async def _asked(self, work: Callable[[ChatStore], _Result]) -> _Result:
        return await asyncio.wrap_future(self._thread.submit(lambda: work(self._opened())))

    # --- on the thread ---

    def _guarded(self, work: Callable[[ChatStore], _Result], otherwise: _Result) -> _Result:
        try:
            result = work(self._opened())
        except CodeassistdError as error:
            self._fail(error)
            return otherwise
        self.problem = ""
        return result

    def _opened(self) -> ChatStore:
        if self._store is None:
            self._store, note = open_or_remake(self._path)
            if note:
                _log.warning("%s", note)
        return self._store

    def _fail(self, error: CodeassistdError) -> None:
        if str(error) != self.problem:
            _log.warning("%s", error)
        self.problem = str(error)
        self._end()

    def _end(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

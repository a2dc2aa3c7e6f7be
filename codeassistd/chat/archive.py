"""Keeps conversations on disk, on a thread of its own.

What goes wrong with the disk costs the keeping and nothing else: a conversation goes on in memory, and `problem` says
why it is not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from pathlib import Path

from codeassistd.chat.conversation import Conversation, ConversationKey, Listed
from codeassistd.chat.request import RawOutput
from codeassistd.chat.store import ChatStore
from codeassistd.clock import Clock
from codeassistd.index.store_thread import StoreThread

__all__ = ["Archive"]


class Archive:
    """The one writer of the store in this process; used on the loop's thread."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._thread = StoreThread("chat-archive", path, ChatStore.open_or_remake)

    @property
    def problem(self) -> str:
        """Why nothing can be kept, in one line; empty if all is well."""
        return self._thread.problem

    async def load(self, key: ConversationKey) -> Conversation | None:
        """A conversation; an empty one where there is none, and None where that cannot be found out."""
        return await asyncio.wrap_future(self._thread.attempt(lambda store: store.conversation(key), None))

    async def listed(self, root: str) -> list[Listed]:
        """The conversations of a workspace, the newest first; none where they cannot be read."""
        return await asyncio.wrap_future(self._thread.attempt(lambda store: store.listed(root), []))

    async def delete(self, key: ConversationKey) -> bool:
        """Forget a conversation; whether there was one.

        Raises:
            StoreError: that cannot be done.
        """
        return await asyncio.wrap_future(self._thread.ask(lambda store: store.delete(key)))

    async def purge(self, root: str | None) -> int:
        """Forget all conversations, or those of a workspace; how many there were.

        Raises:
            StoreError: that cannot be done.
        """
        return await asyncio.wrap_future(self._thread.ask(lambda store: store.purge(root)))

    def put(self, conversation: Conversation, changed: Collection[int] = ()) -> Future[None]:
        """Keep a conversation as it is now, and of its old turns those of the numbers `changed`.

        Returns at once; the future is there once it was tried.
        """
        now_s = self._clock.wall_s()
        return self._thread.attempt(lambda store: store.put(conversation, changed, now_s), None)

    def put_outputs(self, key: ConversationKey, turn: int, outputs: Sequence[RawOutput]) -> None:
        """Keep the outputs of a turn in full; returns at once."""
        now_s = self._clock.wall_s()
        self._thread.attempt(lambda store: store.put_outputs(key, turn, outputs, now_s), None)

    def close(self) -> None:
        """Write what still waits, and give the file back; blocks for as long as that takes."""
        self._thread.close()

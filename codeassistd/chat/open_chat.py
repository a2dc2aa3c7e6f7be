"""A conversation that is open in the daemon: what was said, and what runs for it. Belongs to the loop's thread."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from codeassistd.chat.clients import client_of
from codeassistd.chat.conversation import Conversation, ConversationKey
from codeassistd.chat.limits import Limits

__all__ = ["OpenChat"]


@dataclass(slots=True, eq=False)
class OpenChat:
    """One conversation.

    Attributes:
        is_kept: False where the disk could not be asked what was said before, of which nothing must be written over.
        is_answering: a question is being answered; there is one at a time.
        upkeep: the summary that is being written, or the new beginning that is being read; None if nothing is.
        n_cells: tokens that the last prompt and its answer took in the cache.
        limits: those of the last question.
    """

    conversation: Conversation
    is_kept: bool = True
    is_answering: bool = False
    upkeep: asyncio.Task[None] | None = None
    n_cells: int = 0
    limits: Limits | None = None

    @property
    def key(self) -> ConversationKey:
        """Which conversation it is."""
        return self.conversation.key

    @property
    def client(self) -> str:
        """Its name to the engine, which keeps its prompt warm."""
        return client_of(self.key)

    @property
    def may_be_read_anew(self) -> bool:
        """Whether nothing would be lost by asking the disk once more."""
        return not (self.is_kept or self.is_answering or self.conversation.turns)

    def stop_upkeep(self) -> None:
        """Let go of what runs beside the questions."""
        if self.upkeep is not None:
            self.upkeep.cancel()
            self.upkeep = None

    def status(self) -> dict[str, object]:
        """How it stands, for people."""
        memory = self.conversation.memory
        return {
            "root": self.key.root,
            "session": self.key.session,
            "n_turns": len(self.conversation.turns),
            "n_window": len(self.conversation.window),
            "n_remembered": len(memory.summary.entries),
            "summary_by": memory.author,
            "n_cells": self.n_cells,
            "n_cells_most": self.limits.n_total if self.limits is not None else 0,
            "is_summarising": self.upkeep is not None,
        }

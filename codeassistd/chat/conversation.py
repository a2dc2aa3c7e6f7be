"""A conversation: its turns, and what is remembered of them in front of the window. Each change makes a new one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from codeassistd.chat.summary import Memory
from codeassistd.chat.turn import Turn
from codeassistd.documents.uri import uri_of

__all__ = ["MAX_SESSION", "Conversation", "ConversationKey", "Listed", "session_name"]

#: Letters of a conversation's name.
MAX_SESSION = 100


def session_name(given: str) -> str | None:
    """A conversation's name as it is kept, without blanks at its ends; None if it cannot be one."""
    name = given.strip()
    return name if 0 < len(name) <= MAX_SESSION and name.isprintable() else None


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """Which conversation.

    Attributes:
        root: the workspace as a URI; empty outside of any.
        session: the name that the user gave it.
    """

    root: str
    session: str

    @classmethod
    def of(cls, root: Path | None, session: str) -> ConversationKey:
        """The conversation of that name in a workspace; its folder as a URI, since no database takes every path."""
        return cls("" if root is None else uri_of(root), session)


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation in a list; `updated` is wall time in seconds."""

    root: str
    session: str
    n_turns: int
    updated: float


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said, the oldest first."""

    key: ConversationKey
    turns: tuple[Turn, ...] = ()
    memory: Memory = field(default_factory=Memory)

    @property
    def window(self) -> tuple[Turn, ...]:
        """The turns that the summary does not speak for."""
        return tuple(turn for turn in self.turns if turn.number > self.memory.through)

    @property
    def next_number(self) -> int:
        """The number of the turn to come."""
        return self.turns[-1].number + 1 if self.turns else 1

    def added(self, turn: Turn) -> Conversation:
        """With one more turn, or with another text of a turn that is there."""
        kept = {old.number: old for old in self.turns} | {turn.number: turn}
        return replace(self, turns=tuple(kept[number] for number in sorted(kept)))

    def asked_anew(self, text: str) -> Conversation:
        """Without the newest turn where it has asked the same and got no word of an answer."""
        last = self.window[-1] if self.window else None
        if last is None or not last.is_cut or last.said or last.asked != text:
            return self
        return replace(self, turns=self.turns[:-1])

    def remembering(self, memory: Memory) -> Conversation:
        """With another summary."""
        return replace(self, memory=memory)

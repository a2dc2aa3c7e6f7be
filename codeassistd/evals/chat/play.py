"""Plays a scripted conversation the way the daemon would, up to the prompt of its last turn; no answer is generated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from codeassistd.chat.conversation import Conversation, ConversationKey
from codeassistd.chat.desk import Desk
from codeassistd.chat.prepare import Prepared, prepare, turns_to_summarise
from codeassistd.chat.prompt import Writer
from codeassistd.chat.request import ChatRequest
from codeassistd.chat.summary import Minutes
from codeassistd.chat.turn import Turn
from codeassistd.config import ChatSettings
from codeassistd.evals.chat.case import Case
from codeassistd.index.types import NoIndex

__all__ = ["Stage", "TakeMinutes", "play"]

TakeMinutes = Callable[[Sequence[Turn]], Awaitable[Minutes]]
"""What is to be remembered of turns that leave the window."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a conversation is played on.

    Attributes:
        n_ctx: tokens of the context that it plays in.
    """

    writer: Writer
    n_ctx: int
    settings: ChatSettings


async def play(case: Case, stage: Stage, take_minutes: TakeMinutes) -> Prepared:
    """The last turn of a conversation, ready to be sent."""
    conversation = Conversation(ConversationKey("", case.name))
    for exchange in case.exchanges:
        prepared = _prepared(exchange.asked, conversation, stage)
        conversation = prepared.conversation.added(replace(prepared.turn, said=exchange.said))
        leaving = turns_to_summarise(conversation, prepared.limits, stage.writer)
        if leaving:
            minutes = await take_minutes(leaving)
            memory = conversation.memory.after(minutes, prepared.limits.n_summary, stage.writer.count)
            conversation = conversation.remembering(memory)
    return _prepared(case.question, conversation, stage)


def _prepared(text: str, conversation: Conversation, stage: Stage) -> Prepared:
    request = ChatRequest("eval", conversation.key, None, text, stage.settings)
    desk = Desk(None, (), lambda _path, _root: False, NoIndex())
    return prepare(request, conversation, stage.writer, stage.n_ctx, desk)

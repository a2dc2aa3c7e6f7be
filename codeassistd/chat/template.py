"""How a model wants a conversation written: its own template from the GGUF, or a plain one where it has none.

The template is a small program by whoever made the file. It never sees a word of the conversation: it gets placeholders
for the contents, and what it writes around them is all that is taken from it. So a control token that somebody pastes
into a question stays ordinary letters, whatever the template does. And since what it writes depends on who speaks in
which order alone, it is asked for many lengths of a conversation at once, in a child process (`template_run`) that is
ended where it does not come to an end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from types import MappingProxyType

from codeassistd.chat.template_run import RunTemplate, Written, run_template
from codeassistd.errors import ModelError

__all__ = ["BOS", "EOS", "METADATA_KEY", "ChatTemplate", "Message", "Role", "Slot"]

METADATA_KEY = "tokenizer.chat_template"
_NO_TEMPLATE = "the model has no chat template, so conversations are written plainly; a chat model answers better"
#: Private-use letters: no template looks for them.
_PLACEHOLDER = "\ue000{}\ue001"
_PLACEHOLDERS = re.compile("\ue000(-?\\d+)\ue001")
_PLAIN_STOP = "\nUser:"
#: Real ones have some kilobytes, those with tools included.
_MAX_TEMPLATE = 200_000
#: Turns that a conversation may get beyond the longest one so far before the template is asked again.
_N_AHEAD = 32


class Role(StrEnum):
    """Who speaks, in the words that templates know."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message, without its text: `slot` names where that belongs."""

    role: Role
    slot: int


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of something in what a template has written: a message's text, or `BOS` or `EOS`."""

    number: int


BOS, EOS = Slot(-1), Slot(-2)
"""The tokens that begin a prompt and end an answer."""
_OWN_TOKENS: Mapping[str, str] = MappingProxyType(
    {"bos_token": _PLACEHOLDER.format(BOS.number), "eos_token": _PLACEHOLDER.format(EOS.number)}
)


@dataclass(slots=True)
class ChatTemplate:
    """The template of one model; used by one thread at a time.

    Attributes:
        source: of the template; empty for the plain one.
        warning: why it is not the model's own; empty if it is.
        takes_system: whether it has a place for a system message; if not, the first question carries that text.
        stop_text: what the model writes where it goes on for the user, since no token tells it to stop; or empty.
    """

    source: str = ""
    warning: str = ""
    takes_system: bool = True
    stop_text: str = ""
    _run: RunTemplate = run_template
    _written: dict[tuple[Message, ...], Written] = field(default_factory=dict)

    @classmethod
    def of(cls, metadata: Mapping[str, str], run: RunTemplate = run_template) -> ChatTemplate:
        """The template that a model file declares in its `metadata`, tried once; blocks for as long as that takes."""
        source = metadata.get(METADATA_KEY, "")
        if not source.strip():
            return cls._plain(_NO_TEMPLATE)
        if len(source) > _MAX_TEMPLATE:
            return cls._plain(_unusable("it is too long"))
        why = ""
        for takes_system in (True, False):
            own = cls(source, takes_system=takes_system, _run=run)
            why = own._fault()
            if not why:
                return own
        return cls._plain(_unusable(why))

    def write(self, messages: Sequence[Message]) -> list[str | Slot]:
        """The text round the messages, in order, with slots where their texts belong, up to where the answer begins.

        Raises:
            ModelError: the template fails over these messages.
        """
        if not self.source:
            return list(_plainly(messages))
        wanted = tuple(messages)
        if wanted not in self._written:
            self._ask_for([wanted, *islice(_longer(wanted), _N_AHEAD)])
        written = self._written[wanted]
        if written.fault:
            raise ModelError(f"the model's chat template fails: {written.fault}")
        pieces: list[str | Slot] = []
        for index, piece in enumerate(_PLACEHOLDERS.split(written.text)):
            if index % 2:
                pieces.append(Slot(int(piece)))
            elif piece:
                pieces.append(piece)
        return pieces

    def _ask_for(self, conversations: Sequence[tuple[Message, ...]]) -> None:
        listed = [
            [{"role": message.role.value, "content": _PLACEHOLDER.format(message.slot)} for message in messages]
            for messages in conversations
        ]
        answers = self._run(self.source, _OWN_TOKENS, listed)
        self._written.update(zip(conversations, answers, strict=True))

    def _fault(self) -> str:
        """Why it cannot write conversations, each message once and in order; empty if it can."""
        system = (Message(Role.SYSTEM, 0),) if self.takes_system else ()
        first = (*system, Message(Role.USER, len(system)))
        try:
            for messages in (first, *islice(_longer(first), _N_AHEAD)):
                slots = [piece.number for piece in self.write(messages) if isinstance(piece, Slot)]
                if [number for number in slots if number >= 0] != [message.slot for message in messages]:
                    return "it leaves out what is said"
        except ModelError as error:
            return str(error)
        return ""

    @classmethod
    def _plain(cls, warning: str) -> ChatTemplate:
        return cls(warning=warning, stop_text=_PLAIN_STOP)


def _longer(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    """The conversations that this one becomes: an answer and a question more, again and again."""
    while True:
        slot = messages[-1].slot
        messages = (*messages, Message(Role.ASSISTANT, slot + 1), Message(Role.USER, slot + 2))
        yield messages


def _plainly(messages: Sequence[Message]) -> Iterator[str | Slot]:
    """A conversation as people write one down, up to where the answer begins."""
    before = ""
    for message in messages:
        yield f"{before}{message.role.value.capitalize()}:\n"
        yield Slot(message.slot)
        before = "\n\n"
    yield f"{before}Assistant:\n"


def _unusable(why: str) -> str:
    return f"the model's chat template cannot be used ({why}); conversations are written plainly"

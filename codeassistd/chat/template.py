"""How a model wants a conversation written: its own template from the GGUF, or a plain one where it has none.

The template is a small program by whoever made the file, so it runs in Jinja's sandbox, and it never sees a word of the
conversation: it gets placeholders for the contents, and what it writes around them is all that is taken from it. So a
control token that somebody pastes into a question stays ordinary letters, whatever the template does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from jinja2 import Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from codeassistd.errors import ModelError

__all__ = ["BOS", "EOS", "METADATA_KEY", "ChatTemplate", "Message", "Role", "Slot"]

METADATA_KEY = "tokenizer.chat_template"
_NO_TEMPLATE = "the model has no chat template, so conversations are written plainly; a chat model answers better"
#: Private-use letters: no template looks for them.
_PLACEHOLDER = "\ue000{}\ue001"
_PLACEHOLDERS = re.compile("\ue000(-?\\d+)\ue001")
_PLAIN = (
    "{% for message in messages %}{{ message['role'] | capitalize }}:\n{{ message['content'] }}\n\n{% endfor %}"
    "{% if add_generation_prompt %}Assistant:\n{% endif %}"
)
_PLAIN_STOP = "\nUser:"
#: Real ones have some kilobytes, those with tools included.
_MAX_TEMPLATE = 200_000


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
#: What a template can do wrong: it is a program of somebody else's.
_FAULTS = (
    *(TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError),
    *(RecursionError, MemoryError),
)
_WITHOUT_SYSTEM = (Message(Role.USER, 1), Message(Role.ASSISTANT, 2), Message(Role.USER, 3))
_WITH_SYSTEM = (Message(Role.SYSTEM, 0), *_WITHOUT_SYSTEM)


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The template of one model.

    Attributes:
        warning: why it is not the model's own; empty if it is.
        takes_system: whether it has a place for a system message; if not, the first question carries that text.
        stop_text: what the model writes where it goes on for the user, since no token tells it to stop; or empty.
    """

    _template: Template
    warning: str = ""
    takes_system: bool = True
    stop_text: str = ""

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> ChatTemplate:
        """The template that a model file declares in its `metadata`, tried once."""
        source = metadata.get(METADATA_KEY, "")
        if not source.strip():
            return cls._plain(_NO_TEMPLATE)
        if len(source) > _MAX_TEMPLATE:
            return cls._plain(_unusable("it is too long"))
        try:
            template = _compiled(source)
        except (TemplateError, RecursionError) as error:
            return cls._plain(_unusable(_line(error)))
        why = ""
        for messages in (_WITH_SYSTEM, _WITHOUT_SYSTEM):
            own = cls(template, takes_system=messages is _WITH_SYSTEM)
            why = own._fault(messages)
            if not why:
                return own
        return cls._plain(_unusable(why))

    def write(self, messages: Sequence[Message]) -> list[str | Slot]:
        """The text round the messages, in order, with slots where their texts belong, up to where the answer begins.

        Raises:
            ModelError: the template fails over these messages.
        """
        listed = [{"role": message.role.value, "content": _PLACEHOLDER.format(message.slot)} for message in messages]
        try:
            written = self._template.render(messages=listed, add_generation_prompt=True, tools=None, **_OWN_TOKENS)
        except _FAULTS as error:
            raise ModelError(f"the model's chat template fails: {_line(error)}") from error
        pieces: list[str | Slot] = []
        for index, piece in enumerate(_PLACEHOLDERS.split(written)):
            if index % 2:
                pieces.append(Slot(int(piece)))
            elif piece:
                pieces.append(piece)
        return pieces

    def _fault(self, messages: Sequence[Message]) -> str:
        """Why it cannot write these messages, each once and in order; empty if it can."""
        try:
            written = self.write(messages)
        except ModelError as error:
            return str(error)
        slots = [piece.number for piece in written if isinstance(piece, Slot) and piece not in {BOS, EOS}]
        return "" if slots == [message.slot for message in messages] else "it leaves out what is said"

    @classmethod
    def _plain(cls, warning: str) -> ChatTemplate:
        return cls(_compiled(_PLAIN), warning, stop_text=_PLAIN_STOP)


def _compiled(source: str) -> Template:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _no_date
    return environment.from_string(source)


def _refuse(message: str) -> str:
    """What templates call where messages do not suit them."""
    raise TemplateError(message)


def _no_date(form: str) -> str:
    """A date in the prompt would make each day's another one, and no cached prefix would hold."""
    del form
    return ""


def _unusable(why: str) -> str:
    return f"the model's chat template cannot be used ({why}); conversations are written plainly"


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__

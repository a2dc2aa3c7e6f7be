"""Conversations for tests: a writer for the fake vocabulary, requests, and files to ask about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from codeassistd.chat.conversation import Conversation, ConversationKey
from codeassistd.chat.desk import Desk
from codeassistd.chat.prompt import Writer
from codeassistd.chat.request import ChatRequest
from codeassistd.chat.template import METADATA_KEY, ChatTemplate
from codeassistd.chat.template_child import answers
from codeassistd.chat.template_run import Written
from codeassistd.chat.turn import Part, Turn
from codeassistd.config import ChatSettings
from codeassistd.context.tokens import TokenCache
from codeassistd.documents.document import Document
from codeassistd.index.types import IndexLookup, NoIndex
from codeassistd.testing.fake_vocabulary import MARKERS, FakeVocabulary
from codeassistd.text import Text

__all__ = ["CHATML", "asked", "conversation", "desk", "document", "spelled", "turn", "write_here", "writer"]

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
KEY = ConversationKey("", "default")


def writer(template: str = "", model_id: str = "fake") -> Writer:
    """Writes for a vocabulary that knows the markers of ChatML; one token a letter."""
    vocabulary = FakeVocabulary((*MARKERS, "<|im_start|>", "<|im_end|>"))
    metadata = {METADATA_KEY: template} if template else {}
    return Writer(ChatTemplate.of(metadata, write_here), TokenCache(vocabulary), model_id, metadata)


def write_here(
    source: str, variables: Mapping[str, str], conversations: Sequence[Sequence[Mapping[str, str]]]
) -> list[Written]:
    """Write conversations by a template that is known to end: without the child process, which takes its time."""
    asked = {"source": source, "variables": variables, "conversations": conversations, "max_letters": 100_000}
    return [Written(**answer) for answer in answers(asked)]


def spelled(by: Writer, ids: Sequence[int]) -> str:
    """A prompt as text, markers spelled out."""
    vocabulary = by.tokens.vocabulary
    assert isinstance(vocabulary, FakeVocabulary)
    return vocabulary.spell(list(ids))


def turn(number: int, text: str = "So?", said: str = "Yes.", parts: Sequence[Part] = ()) -> Turn:
    """A turn that was answered."""
    return Turn(number, text, text, tuple(parts), said)


def conversation(*turns: Turn) -> Conversation:
    """One with these turns."""
    return Conversation(KEY, turns)


def document(path: Path, text: str) -> Document:
    """An open document."""
    return Document(path.as_uri(), path, "python", 1, Text.of(text))


def desk(
    root: Path | None = None,
    documents: Sequence[Document] = (),
    ignored: Sequence[str] = (),
    lookup: IndexLookup | None = None,
) -> Desk:
    """Reads files; those of the names `ignored` are such."""
    return Desk(root, documents, lambda path, _root: path.name in ignored, lookup or NoIndex())


def asked(text: str, root: Path | None = None, **more: object) -> ChatRequest:
    """A question; `more` are fields of the request, or settings."""
    fields = {name: more.pop(name) for name in tuple(more) if name in ChatRequest.__slots__}
    settings = ChatSettings.model_validate(more)
    return ChatRequest(client="s1", key=KEY, root=root, text=text, settings=settings, **fields)  # type: ignore[arg-type]

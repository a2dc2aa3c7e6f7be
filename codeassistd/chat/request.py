"""What the chat service is asked and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codeassistd.chat.conversation import ConversationKey
from codeassistd.chat.turn import PartKind
from codeassistd.config import ChatSettings
from codeassistd.documents.document import Document
from codeassistd.documents.recent_edits import Edit
from codeassistd.syntax.facts import FileFacts
from codeassistd.text import Span

__all__ = ["MAX_TEXT", "ChatReply", "ChatRequest", "Ended", "RawOutput", "UsedPart"]

#: Letters of a question, and of an output, as they are handed over; far more than any window holds.
MAX_TEXT = 4_000_000


@dataclass(frozen=True, slots=True)
class RawOutput:
    """The whole output of a command; `exit_code` is None where it was ended."""

    command: str
    text: str
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question.

    Attributes:
        client: the editor connection that asks: its unsaved texts count before those of others.
        key: the conversation.
        root: the workspace of `document`, else that of the conversation; None outside of any.
        document: what is open before the user; None if nothing is.
        selection: the bytes of `document` that are selected.
        facts: what the parser last said about `document`.
        documents: all that is open in the editor, whose texts stand in place of their files.
        files: that the user has named, absolute.
        outputs: of commands that the user ran for this question.
        edits: what the user has changed lately in files that are not ignored, the oldest first.
    """

    client: str
    key: ConversationKey
    root: Path | None
    text: str
    settings: ChatSettings
    document: Document | None = None
    selection: Span | None = None
    facts: FileFacts | None = None
    documents: Sequence[Document] = ()
    files: tuple[Path, ...] = ()
    outputs: tuple[RawOutput, ...] = ()
    edits: tuple[Edit, ...] = ()


class Ended(StrEnum):
    """Why an answer is over."""

    STOP = "stop"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class UsedPart:
    """What was put in front of the question, with its tokens; `path` is absolute."""

    kind: PartKind
    label: str
    path: Path | None
    n_tokens: int


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The answer to one question.

    Attributes:
        turn: its number in the conversation.
        n_prompt, n_cached: tokens of the prompt, and those of them that did not have to be read.
        warnings: one line for each thing that was asked for and could not be had.
    """

    session: str
    turn: int
    text: str
    parts: tuple[UsedPart, ...]
    ended: Ended
    n_prompt: int
    n_cached: int
    warnings: tuple[str, ...] = ()

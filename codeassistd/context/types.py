"""What the context builder is asked and what it gives: parts with sources, and the prompt made of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codeassistd.config import ContextSettings
from codeassistd.documents.document import Document
from codeassistd.documents.recent_edits import Edit
from codeassistd.syntax.facts import FileFacts

__all__ = ["ContextRequest", "PartKind", "Prompt", "PromptPart"]


class PartKind(StrEnum):
    """The parts of a prompt, from the slowest to change to the fastest."""

    CHUNKS = "chunks"
    """Pieces of other files that look like the code at the cursor."""
    DEFINITIONS = "definitions"
    EDITS = "edits"
    """What the user has changed lately elsewhere."""
    OUTLINE = "outline"
    SUFFIX = "suffix"
    PREFIX = "prefix"
    MIDDLE = "middle"
    """The start of the cursor's line, where it stands behind the middle marker."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One part: where its text comes from and how many tokens it takes (its markers counted in).

    Attributes:
        score: what the best of its definitions was thought to be worth, or how well the best piece of its file answers
            the search; None for parts of other kinds.
    """

    kind: PartKind
    source: str
    n_tokens: int
    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids ready for the engine, and the parts they came from, in order.

    Attributes:
        left_out: the end of the text before the cursor that the prompt lacks, so that the model writes it: a blank or
            line break that the vocabulary would put into the token of what follows, or nothing. The answer is expected
            to begin with it.
        beside: token ids of texts near the cursor that the prompt lacks and the answer may repeat; the engine guesses
            from them.
    """

    ids: tuple[int, ...]
    parts: tuple[PromptPart, ...]
    left_out: str = ""
    beside: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Where the cursor stands and what is known about the file.

    Attributes:
        offset: bytes from the start of the document.
        root: the workspace the document belongs to; None outside any.
        facts: what the parser last said about this document (perhaps of a slightly older version); None if nothing yet.
        n_output: tokens to leave free for the answer.
        n_max: most tokens of prompt and answer together that the engine's context can hold.
        n_readable: most tokens of the prompt that can be read in the time there is; None where that does not matter.
        n_key: most tokens that one typed letter may have read again; None where that does not matter.
        edits: what the user has changed lately in this workspace, the oldest first.
        client: the editor connection that asks: its unsaved texts count before those of others.
    """

    document: Document
    offset: int
    root: Path | None
    facts: FileFacts | None
    settings: ContextSettings
    n_output: int
    n_max: int
    n_readable: int | None = None
    n_key: int | None = None
    client: str = ""
    edits: tuple[Edit, ...] = ()

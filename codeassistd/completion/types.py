"""One completion: what is asked and what is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codeassistd.completion.moment import ORDINARY, Moment
from codeassistd.completion.weights import CONSTANTS, Weights
from codeassistd.config import CompletionSettings, ContextSettings
from codeassistd.documents.document import Document
from codeassistd.documents.recent_edits import Edit
from codeassistd.metrics.spans import Span
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.parser import ParsedDocument

__all__ = ["CompletionRequest", "CompletionResult", "MenuEntry", "Suggestion", "Trigger", "no_tree"]


def no_tree() -> ParsedDocument | None:
    """None: no tree is at hand."""
    return None


class Trigger(StrEnum):
    """Who asked."""

    AUTOMATIC = "automatic"
    INVOKED = "invoked"


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """The entry that is selected in the editor's own completion menu, which is open.

    Attributes:
        text: what it would put in.
        start: where that would begin, at or before the cursor; bytes from the start of the document.
    """

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A cursor in one version of a document.

    Attributes:
        client: the editor connection; newer requests of the same client and document supersede older ones.
        offset: bytes from the start of the document.
        in_sync: whether the server's text is known to equal the editor's.
        newest_tree: gives a tree of this document, perhaps of another version, if one is at hand by then.
        menu: what a suggestion has to go on from; None while no menu is open.
        moment: what else is a reason to be silent.
        edits: what the user has changed lately in this editor, the oldest first.
        weights: what each piece of evidence counts for this user.
    """

    client: str
    document: Document
    offset: int
    root: Path | None
    trigger: Trigger
    settings: CompletionSettings
    context: ContextSettings
    facts: FileFacts | None = None
    newest_tree: Callable[[], ParsedDocument | None] = no_tree
    in_sync: bool = True
    menu: MenuEntry | None = None
    moment: Moment = ORDINARY
    weights: Weights = CONSTANTS
    edits: tuple[Edit, ...] = ()
    arrived_s: float | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """New text to insert at the cursor; replaces nothing."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """The one answer: a suggestion or none, and the span that tells why."""

    suggestion: Suggestion | None
    span: Span

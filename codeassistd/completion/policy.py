"""When to be silent, and how much to suggest: rules that need no model.

A rule that keeps silent costs nothing but a suggestion; a suggestion at the wrong place costs the user's attention.
Where the user asks by hand, only the hard rules count.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from urllib.parse import unquote, urlsplit

from codeassistd.completion.place import Place, lead, opens_block
from codeassistd.completion.stops import Extent, Shape
from codeassistd.completion.types import CompletionRequest, Trigger
from codeassistd.config import CompletionSettings
from codeassistd.documents.document import Document
from codeassistd.documents.secrets import is_secret
from codeassistd.metrics.spans import Outcome
from codeassistd.text import Span

__all__ = ["Silence", "output_limit", "shape_at", "silence_at", "silence_in_menu", "silence_of"]

# What may stand behind the cursor in the middle of a line: closers that an editor puts there, and separators.
_BORDER = frozenset(")]}>\"'`;,: \t")


@dataclass(frozen=True, slots=True)
class Silence:
    """Why nothing is suggested."""

    outcome: Outcome
    reason: str


def silence_of(request: CompletionRequest) -> Silence | None:
    """The hard rule that keeps this request silent, wherever the cursor stands."""
    settings, document = request.settings, request.document
    if not settings.enabled:
        return Silence(Outcome.SILENT, "completion is off (completion.enabled)")
    if document.language in settings.languages_off:
        return Silence(Outcome.SILENT, f"off for {document.language} (completion.languages_off)")
    if is_secret(_path_of(document)):
        return Silence(Outcome.SILENT, "the file may hold secrets")
    if not request.in_sync:
        return Silence(Outcome.OUT_OF_SYNC, "the editor's text is not known; close the file and open it again")
    return None


def silence_at(place: Place, trigger: Trigger) -> Silence | None:
    """The rule that keeps an automatic request silent at this place; who asks by hand gets an answer anywhere."""
    if trigger is Trigger.INVOKED:
        return None
    if place.tail and (place.tail[0].isalnum() or place.tail[0] == "_"):
        return Silence(Outcome.SILENT, "in the middle of a word, or right before one")
    if not set(place.rest) <= _BORDER:
        return Silence(Outcome.SILENT, "code stands behind the cursor")
    return None


def silence_in_menu(request: CompletionRequest, suggested: str) -> Silence | None:
    """The rule that keeps a suggestion back which does not go on from what the editor's menu has selected.

    The editor shows the selected entry as already inserted, and a ghost text that says something else is hidden or
    drawn over it.
    """
    entry = request.menu
    if entry is None:
        return None
    typed = request.document.text.slice(Span(entry.start, request.offset)) if entry.start < request.offset else ""
    if (typed + suggested).startswith(entry.text):
        return None
    return Silence(Outcome.SILENT, "the suggestion does not go on from the entry selected in the editor's menu")


def shape_at(place: Place, settings: CompletionSettings) -> Shape:
    """A whole block where one has just been opened and is still empty; elsewhere one statement, most often a line."""
    if settings.multiline == "never":
        return Shape(Extent.LINE, 1, "one line (completion.multiline is never)")
    statement = Shape(Extent.STATEMENT, settings.max_lines, "one statement")
    if place.is_blank_before:
        opener = place.line_above
        if place.rest or not opens_block(opener, place.language):
            return statement
    else:
        opener = place.head
        if not opens_block(opener, place.language):
            return statement
    if place.style.columns(lead(place.line_below)) > place.style.columns(lead(opener)):
        return statement
    return Shape(Extent.BLOCK, settings.max_lines, "a block: it is empty yet")


def output_limit(asked: int, n_ctx: int) -> int:
    """Most tokens to generate: what is asked for, but never more than half of what the context holds."""
    return max(1, min(asked, n_ctx // 2))


def _path_of(document: Document) -> PurePath:
    """The document's path, or for one that is not on this disk the path that its name speaks of."""
    if document.path is not None:
        return document.path
    try:
        return PurePosixPath(unquote(urlsplit(document.uri).path))
    except ValueError:
        return PurePosixPath(unquote(document.uri))

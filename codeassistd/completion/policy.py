"""When to be silent, and how much to suggest: rules that need no model.

A rule that keeps silent costs nothing but a suggestion; a suggestion at the wrong place costs the user's attention.
Where the user asks by hand, only the hard rules count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath
from urllib.parse import unquote, urlsplit

from pathspec import GitIgnoreSpec

from codeassistd.completion.moment import ORDINARY, Ignored, Moment
from codeassistd.completion.place import Place, is_in_prose, lead, opens_block
from codeassistd.completion.stops import Extent, Shape
from codeassistd.completion.types import CompletionRequest, Trigger
from codeassistd.config import CompletionSettings
from codeassistd.documents.document import Document
from codeassistd.documents.secrets import is_secret
from codeassistd.metrics.spans import Outcome
from codeassistd.syntax.site import Site
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
    reason = _off(request) or _not_in_this_file(request)
    if reason:
        return Silence(Outcome.SILENT, reason)
    if not request.in_sync:
        return Silence(Outcome.OUT_OF_SYNC, "the editor's text is not known; close the file and open it again")
    return None


def silence_at(place: Place, trigger: Trigger, moment: Moment = ORDINARY) -> Silence | None:
    """The rule that keeps an automatic request silent at this place; who asks by hand gets an answer anywhere."""
    if trigger is Trigger.INVOKED:
        return None
    reason = _in_the_way(moment) or _inside(place)
    return Silence(Outcome.SILENT, reason) if reason else None


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


def shape_at(place: Place, settings: CompletionSettings, site: Site | None = None) -> Shape:
    """A whole block where one has just been opened and is still empty; elsewhere one statement, most often a line.

    Args:
        place: where, by the words.
        settings: what the user wants.
        site: where, by the tree; None where it cannot tell, since what is being typed may be too broken.
    """
    if settings.multiline == "never":
        return Shape(Extent.LINE, 1, "one line (completion.multiline is never)")
    if site in {Site.COMMENT, Site.STRING}:
        return Shape(Extent.LINE, 1, f"one line: in a {site.value}")
    if site is Site.PROSE or (site is None and is_in_prose(place)):
        return Shape(Extent.PARAGRAPH, settings.max_lines, "a paragraph: in a text of several lines")
    if _opens_empty_block(place):
        return Shape(Extent.BLOCK, settings.max_lines, "a block: it is empty yet")
    return Shape(Extent.STATEMENT, settings.max_lines, "one statement")


def output_limit(asked: int, n_ctx: int) -> int:
    """Most tokens to generate: what is asked for, but never more than half of what the context holds."""
    return max(1, min(asked, n_ctx // 2))


def _opens_empty_block(place: Place) -> bool:
    """Whether a block begins at the cursor and has no body yet."""
    opener = place.line_above if place.is_blank_before else place.head
    if not opens_block(opener, place.language) or (place.is_blank_before and place.rest):
        return False
    return place.style.columns(lead(place.line_below)) <= place.style.columns(lead(opener))


def _off(request: CompletionRequest) -> str:
    """What the user has switched off; a snooze holds for automatic requests only."""
    settings, language = request.settings, request.document.language
    if not settings.enabled:
        return "completion is off (completion.enabled)"
    if language in settings.languages_off:
        return f"off for {language} (completion.languages_off)"
    if request.moment.snoozed_s > 0 and request.trigger is Trigger.AUTOMATIC:
        minutes = math.ceil(request.moment.snoozed_s / 60)
        return f"snoozed for another {minutes} min (`codeassistd snooze --off` ends it)"
    return ""


def _not_in_this_file(request: CompletionRequest) -> str:
    """Why nothing is suggested in this file."""
    path = _path_of(request.document)
    if is_secret(path):
        return "the file may hold secrets"
    if request.settings.paths_off and _is_named(path, request.root, request.settings.paths_off):
        return "off for this file (completion.paths_off)"
    if request.settings.ignored_files:
        return ""
    if request.moment.ignored is Ignored.YES:
        return "git ignores the file (completion.ignored_files)"
    return "" if request.moment.ignored is Ignored.NO else "it is not known yet whether git ignores the file"


def _in_the_way(moment: Moment) -> str:
    """What the user is busy with."""
    if moment.in_snippet:
        return "a snippet is being filled in"
    return "right after a paste or a large deletion, until the next key" if moment.is_after_large_edit else ""


def _inside(place: Place) -> str:
    """What stands behind the cursor and would be torn apart."""
    if place.tail and (place.tail[0].isalnum() or place.tail[0] == "_"):
        return "in the middle of a word, or right before one"
    return "" if set(place.rest) <= _BORDER else "code stands behind the cursor"


def _is_named(path: PurePath, root: Path | None, lines: tuple[str, ...]) -> bool:
    """Whether lines of a `.gitignore` in the workspace's root, or without one at the top of the disk, name `path`."""
    inside = path.relative_to(root) if root is not None and path.is_relative_to(root) else path
    return _rules(lines).match_file(inside.as_posix().lstrip("/"))


@lru_cache(maxsize=16)
def _rules(lines: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(lines)


def _path_of(document: Document) -> PurePath:
    """The document's path, or for one that is not on this disk the path that its name speaks of."""
    if document.path is not None:
        return document.path
    try:
        return PurePosixPath(unquote(urlsplit(document.uri).path))
    except ValueError:
        return PurePosixPath(unquote(document.uri))

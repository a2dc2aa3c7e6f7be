"""Pieces of other files that look like the code at the cursor, found by full-text search; the choice is steady.

They are bodies, so they take many tokens, and a prompt gets them only where definitions and the window have enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from codeassistd.context.by_document import ByDocument
from codeassistd.context.types import ContextRequest
from codeassistd.context.wanted import NEAR_LINES_ABOVE, scope_at, wanted_at
from codeassistd.index.types import FoundChunk, IndexLookup
from codeassistd.syntax.languages import Language
from codeassistd.text import Span

__all__ = ["ChunkSource", "choose_chunks"]

MAX_PER_FILE = 2
FRESH_LINES = 16
"""Lines that the cursor may move within one scope before it is searched again."""
ALIKE = 0.7
"""Share of common words from which on two texts say the same."""
RUN_LINES = 3
"""So many lines in a row, blank ones aside, stand in a prompt once only."""
_WIDE_LINES = 400
"""Lines on each side of the cursor that no piece repeats: more than a prompt shows of nearly all files."""
_N_WORDS = 12
_N_FOUND = 24
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen for one document, by which words, and where the cursor stood."""

    root: Path
    scope: str
    line: int
    limit: int
    words: tuple[str, ...]
    chunks: tuple[FoundChunk, ...]


class ChunkSource:
    """Finds pieces for a cursor; remembers its choice for each client's document."""

    def __init__(self, lookup: IndexLookup) -> None:
        self._lookup = lookup
        self._choices = ByDocument[_Choice]()

    def chunks(
        self, request: ContextRequest, language: Language | None, limit: int, size_of: Callable[[FoundChunk], int]
    ) -> tuple[FoundChunk, ...]:
        """At most `limit` tokens of them, in the order in which they should stand.

        The index is asked each time, with the same words while the choice holds: what is no longer there is left out.
        """
        if request.root is None or limit <= 0 or request.settings.pieces == 0:
            return ()
        key = (request.client, request.document.uri)
        text = request.document.text
        line, scope = text.line_of(request.offset), scope_at(request.facts, text, request.offset)
        known = self._choices.get(key)
        if known is not None and (known.root, known.limit) != (request.root, limit):
            known = None
        lookup = self._lookup.seen_by(request.client)
        if known is not None and known.scope == scope and abs(known.line - line) < FRESH_LINES:
            found = set(lookup.search(request.root, known.words, request.document.path, _N_FOUND))
            return tuple(chunk for chunk in known.chunks if chunk in found)
        words = wanted_at(text, request.offset, request.facts, language).near[:_N_WORDS]
        found_now = lookup.search(request.root, words, request.document.path, _N_FOUND) if words else []
        # What was shown before stays in front, so that as many tokens as can be repeat.
        before = known.chunks if known is not None else ()
        ordered = sorted(found_now, key=lambda chunk: before.index(chunk) if chunk in before else len(before))
        near, wide = _around(request, NEAR_LINES_ABOVE), _around(request, _WIDE_LINES)
        chunks = tuple(choose_chunks(ordered, near, wide, limit, size_of, n_most=request.settings.pieces))
        self._choices.put(key, _Choice(request.root, scope, line, limit, words, chunks))
        return chunks


def choose_chunks(
    found: Sequence[FoundChunk], near: str, wide: str, limit: int, size_of: Callable[[FoundChunk], int], *, n_most: int
) -> list[FoundChunk]:
    """The first of `found` that fit into `limit` tokens: few of one file, none that says what stands there already.

    Args:
        found: the best first.
        near: the lines round the cursor, which no piece may be like.
        wide: the open file as far as a prompt may show it, of which no piece may repeat some lines.
        limit: most tokens of all together.
        size_of: tokens of one.
        n_most: most pieces.
    """
    chosen: list[FoundChunk] = []
    texts = [frozenset(_WORD.findall(near))]
    runs = _runs(wide)
    per_file = Counter[str]()
    for chunk in found:
        words = frozenset(_WORD.findall(chunk.text))
        if per_file[chunk.relative] >= MAX_PER_FILE or any(_is_alike(words, other) for other in texts):
            continue
        own_runs = _runs(chunk.text)
        if not runs.isdisjoint(own_runs):
            continue
        size = size_of(chunk)
        if size > limit:
            continue
        limit -= size
        per_file[chunk.relative] += 1
        texts.append(words)
        runs |= own_runs
        chosen.append(chunk)
        if len(chosen) == n_most:
            break
    return chosen


def _is_alike(one: Collection[str], two: Collection[str]) -> bool:
    smaller = min(len(one), len(two))
    return smaller > 0 and len(set(one) & set(two)) >= ALIKE * len(set(one) | set(two))


def _runs(text: str) -> set[tuple[str, ...]]:
    """The lines of a text, blank ones and indentation aside, in every run of a few."""
    lines = [line for each in text.splitlines() if (line := each.strip())]
    return set(zip(*(islice(lines, start, None) for start in range(RUN_LINES)), strict=False))


def _around(request: ContextRequest, n_lines: int) -> str:
    """The lines round the cursor, so many on each side."""
    text = request.document.text
    line = text.line_of(request.offset)
    return text.slice(Span(text.line_start(max(0, line - n_lines)), text.line_end(line + n_lines)))

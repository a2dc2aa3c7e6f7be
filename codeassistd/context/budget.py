"""How many tokens each part of a prompt gets, and what is left out when there is not room for all.

The cursor's line stays, then the last lines before it and the first one after it; what is left is shared out. Extras
(definitions, outline) go first when room is short, then the far end of the prefix, always at a line border. Starts of
the prefix move in steps of lines: a start that moved with each new line would change every token after it, and the
engine would read the whole prompt again at each Enter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "KEPT_LINES",
    "Allotment",
    "Demand",
    "Line",
    "allot",
    "chunk_room",
    "definition_room",
    "doc_letters",
    "first_of",
    "last_of",
    "take_first",
]

KEPT_LINES = 10
"""Lines before the cursor's that only the smallest room can push out."""
DEFINITIONS_SHARE = 0.35
"""Of the room for definitions from other files, where it is short: in prompts of 600 tokens the starter's `truth_nll`
is 0.31 better with them (22 cases, 0.15 to 0.45; docs/evals.md)."""
DEFINITIONS_SHARE_LONG = 0.5
"""The same where the window keeps `WINDOW_TOKENS` beside them, chosen by `definition_recall`; see docs/evals.md."""
DEFINITIONS_SHARE_ALONE = 0.56
"""The same in prompts without pieces of other files: they have what the outline gave up."""
WINDOW_TOKENS = 400
OUTLINE_SHARE = 0.06
"""Most of the room that the outline of the open file gets. The starter's `truth_nll` is the same with it and without
(15 cases at 600 tokens: 0.00, -0.06 to 0.06), so it gets no more; models that read the suffix were not asked."""
SUFFIX_SHARE = 0.25
"""What the suffix gets of the room where the prefix could fill it all."""
DOC_LETTERS = 120
"""Most letters of a definition's documentation, in prompts that are long enough for pieces of other files. In shorter
ones another definition is worth more than the words about it (docs/evals.md)."""
CHUNKS_FROM = 1024
"""Tokens of a prompt that others come first in; of what is above, pieces of other files get their share."""
CHUNKS_SHARE = 0.5
"""Of 1,500 tokens: the starter's `truth_nll` is 0.13 better with them, but 13 cases do not settle it (0.39 better to
0.05 worse)."""
EDITS_SHARE = 0.1
"""Most of the room that edits elsewhere get, in prompts that are long enough for pieces of other files. No eval here
has edits, so none has chosen it."""
_STEPS = (32, 16, 8, 4, 2, 1)
# A step that leaves less of the room than this in use is too coarse.
_STEP_USE = 0.7
# What a short prefix leaves over goes to the suffix in whole pieces of this size, so that its end does not move with
# each typed letter.
_LEFTOVER_STEP = 64


@dataclass(frozen=True, slots=True)
class Line:
    """One line, perhaps with blank neighbours, as the token cache cuts them; `number` counts from the file's start."""

    text: str
    n_tokens: int
    number: int


@dataclass(frozen=True, slots=True)
class Demand:
    """What would go into the prompt if there were room for all.

    Attributes:
        definitions: tokens of each, in the order in which they stand; they were chosen to fit into their share.
        chunks: tokens of each, like those.
        edits: tokens of each, the newest first.
        outline: tokens of the whole outline; 0 where the window shows all.
        prefix: lines above the cursor's, in order of the document.
        suffix: lines after the cursor in order of the document, the rest of the cursor's line first.
        line: number of the cursor's line.
        room: tokens for all of these together; the start of the cursor's line is paid for already.
    """

    definitions: Sequence[int]
    chunks: Sequence[int]
    edits: Sequence[int]
    outline: int
    prefix: Sequence[Line]
    suffix: Sequence[Line]
    line: int
    room: int


@dataclass(frozen=True, slots=True)
class Allotment:
    """How much of a `Demand` gets in.

    Attributes:
        n_definitions, n_chunks, n_edits, n_suffix: that many from the start of the list.
        n_prefix: that many from the end of the list.
        outline: most tokens of the outline.
    """

    n_definitions: int
    n_chunks: int
    n_edits: int
    outline: int
    n_prefix: int
    n_suffix: int


def allot(demand: Demand) -> Allotment:
    """Share the room out, in the order that the module's text gives."""
    kept_prefix = _total(line for line in demand.prefix if line.number >= demand.line - KEPT_LINES)
    # The first line after the cursor: the rest of its own line, and the next one where that is empty.
    kept_suffix = _total(demand.suffix[:2])
    free = max(0, demand.room - kept_prefix - kept_suffix)
    n_definitions, used_definitions = take_first(demand.definitions, free)
    outline = min(demand.outline, free - used_definitions, int(demand.room * OUTLINE_SHARE))
    n_chunks, used_chunks = take_first(demand.chunks, free - used_definitions - outline)
    free -= used_definitions + outline + used_chunks
    n_edits, used_edits = take_first(demand.edits, min(free, edit_room(demand.room)))
    room = demand.room - used_definitions - outline - used_chunks - used_edits

    wanted_suffix = min(_total(demand.suffix), max(kept_suffix, int(demand.room * SUFFIX_SHARE)))
    for_suffix = min(wanted_suffix, max(kept_suffix, room - kept_prefix), room)
    n_prefix, used_prefix = _take_prefix(demand, room - for_suffix)
    if n_prefix == len(demand.prefix):
        leftover = room - used_prefix
        for_suffix = max(for_suffix, leftover // _LEFTOVER_STEP * _LEFTOVER_STEP)
    n_suffix, _ = take_first([line.n_tokens for line in demand.suffix], for_suffix)
    return Allotment(n_definitions, n_chunks, n_edits, outline, n_prefix, n_suffix)


def definition_room(room: int) -> int:
    """Tokens that definitions from other files may take of a prompt's `room`."""
    long = max(room * DEFINITIONS_SHARE_LONG, min(room, CHUNKS_FROM) * DEFINITIONS_SHARE_ALONE)
    return int(max(room * DEFINITIONS_SHARE, min(long, room - WINDOW_TOKENS)))


def doc_letters(room: int) -> int:
    """Letters of its documentation that each definition may have in a prompt's `room`."""
    return DOC_LETTERS if room > CHUNKS_FROM else 0


def chunk_room(room: int) -> int:
    """Tokens that pieces of other files may take of a prompt's `room`."""
    return int((room - CHUNKS_FROM) * CHUNKS_SHARE) if room > CHUNKS_FROM else 0


def edit_room(room: int) -> int:
    """Tokens that edits elsewhere may take of a prompt's `room`."""
    return int(room * EDITS_SHARE) if room > CHUNKS_FROM else 0


def take_first(sizes: Sequence[int], limit: int) -> tuple[int, int]:
    """How many of `sizes` fit into `limit` from the start on, and their sum."""
    used = 0
    for index, size in enumerate(sizes):
        if used + size > limit:
            return index, used
        used += size
    return len(sizes), used


def last_of(text: str, limit: int, count: Callable[[str], int]) -> str:
    """An end of `text` that takes at most `limit` tokens, nearly as long as can be; cut at any letter."""
    while text and (n_tokens := count(text)) > limit:
        # In proportion, and always by one letter at least, so that this ends.
        keep = min(len(text) - 1, len(text) * max(0, limit) // n_tokens)
        text = text[len(text) - keep :]
    return text


def first_of(text: str, limit: int, count: Callable[[str], int]) -> str:
    """A start of `text` that takes at most `limit` tokens, nearly as long as can be; cut at any letter."""
    while text and (n_tokens := count(text)) > limit:
        text = text[: min(len(text) - 1, len(text) * max(0, limit) // n_tokens)]
    return text


def _total(lines: Iterable[Line]) -> int:
    return sum(line.n_tokens for line in lines)


def _take_prefix(demand: Demand, limit: int) -> tuple[int, int]:
    """How many lines from the end of the prefix get in, and their tokens.

    As many as fit, then fewer until the first one begins a step; a coarse step only where it wastes little.
    """
    prefix = demand.prefix
    n_fit, used = take_first([line.n_tokens for line in reversed(prefix)], limit)
    if n_fit == len(prefix):
        return n_fit, used
    for step in _STEPS:
        kept = prefix[_next_border(prefix, len(prefix) - n_fit, step) :]
        n_tokens = _total(kept)
        if kept and n_tokens >= _STEP_USE * used and demand.line - kept[0].number >= KEPT_LINES:
            return len(kept), n_tokens
    return n_fit, used


def _next_border(prefix: Sequence[Line], start: int, step: int) -> int:
    """The first line from index `start` on that begins a new step of `step` lines, counted from the file's start."""
    while 0 < start < len(prefix) and prefix[start].number // step == prefix[start - 1].number // step:
        start += 1
    return start

"""The outline of the open file: what of it the window does not show, what encloses the cursor first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeassistd.syntax.facts import FileFacts, OutlineEntry

__all__ = ["choose_outline"]


def choose_outline(
    facts: FileFacts, shown: tuple[int, int], offset: int, limit: int, count: Callable[[str], int]
) -> list[OutlineEntry]:
    """Entries of the outline that the window does not show, in order of the file.

    Args:
        facts: of the open file.
        shown: first line of the window, and the first one after it.
        offset: of the cursor, in bytes.
        limit: most tokens of all entries together.
        count: tokens of an entry.

    What encloses the cursor comes first, then the nearest; an entry inside another brings that other along.
    """
    start, end = shown
    hidden = [entry for entry in facts.outline if not start <= entry.line < end]
    parents = _parents(hidden)
    taken: set[int] = set()
    used = 0

    def order(index: int) -> tuple[bool, int]:
        span = hidden[index].span
        return not span.start <= offset <= span.end, _distance(hidden[index], start, end)

    for index in sorted(range(len(hidden)), key=order):
        chain = [index]
        while (parent := parents[chain[-1]]) is not None:
            chain.append(parent)
        new = [place for place in chain if place not in taken]
        cost = sum(count(hidden[place].text) for place in new)
        if used + cost > limit:
            break
        taken.update(new)
        used += cost
    return [hidden[index] for index in sorted(taken)]


def _parents(entries: Sequence[OutlineEntry]) -> list[int | None]:
    """For each entry the index of the one whose span holds it."""
    parents: list[int | None] = []
    open_entries: list[int] = []
    for index, entry in enumerate(entries):
        while open_entries and entries[open_entries[-1]].span.end <= entry.span.start:
            open_entries.pop()
        parents.append(open_entries[-1] if open_entries else None)
        open_entries.append(index)
    return parents


def _distance(entry: OutlineEntry, start: int, end: int) -> int:
    """Lines between an entry and the window; what is above comes before what is below."""
    return 2 * (start - entry.line) - 1 if entry.line < start else 2 * (entry.line - end + 1)

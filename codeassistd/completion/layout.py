"""Indentation where it is syntax: a suggestion must not tear the lines below it from their block.

Grammars forgive what the language does not: they read a line that is deeper than it may be, and a block's body behind a
head that has one on its own line already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeassistd.completion.balance import scan
from codeassistd.completion.place import Place, lead, opens_block

__all__ = ["keeps_layout"]


def keeps_layout(insertion: str, place: Place) -> bool:
    """Whether every line from the cursor's on stands where it may with `insertion` put in, so far as it did before.

    A block that is opened last may be empty yet. What ends within brackets or a string is not judged.
    """
    if place.language is None or not place.language.is_offside:
        return True
    after = _statements(insertion, place)
    if after is None:
        return True
    if place.head.strip() and (before := _statements("", place)) is not None and not _stand_well(before, place):
        return True
    return _stand_well(after, place)


def _stand_well(statements: Sequence[tuple[int, str]], place: Place) -> bool:
    levels = place.levels()
    column, line = statements[0]
    for next_column, next_line in (*statements[1:], *_below(place)):
        if column not in levels:
            levels.append(column)
        if next_column > column and not opens_block(line, place.language):
            return False
        if next_column < column and next_column not in levels and min(levels) == 0:
            # Where the outermost level is out of sight, more of them may be.
            return False
        column, line = next_column, next_line
    return True


def _statements(insertion: str, place: Place) -> list[tuple[int, str]] | None:
    """The column and the last line of each statement from the cursor's line on to the end of what is put in.

    Returns:
        None where it cannot be told: no statement, or one that begins above or does not end.
    """
    if place.scan.openers or place.scan.inside:
        return None
    found: list[tuple[int, str]] = []
    waiting: list[str] = []
    for line in (place.head + insertion + place.tail).splitlines():
        if not waiting and _is_bare(line, place):
            continue
        waiting.append(line)
        open_yet = scan("\n".join(waiting), place.language)
        if not (open_yet.openers or open_yet.inside or line.endswith("\\")):
            found.append((place.style.columns(lead(waiting[0])), line))
            waiting = []
    return found if found and not waiting else None


def _below(place: Place) -> Iterator[tuple[int, str]]:
    """The first line below that counts, if there is one."""
    for line in place.below:
        if not _is_bare(line, place):
            yield place.style.columns(lead(line)), line
            return


def _is_bare(line: str, place: Place) -> bool:
    """Whether a line is blank or a comment: those stand anywhere."""
    mark = place.language.comment if place.language is not None else ""
    return not line.strip() or (bool(mark) and line.lstrip().startswith(mark))

"""Snippets of files that have changed since they were shown: out of the window, and in again as they are now."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeassistd.chat.turn import Part, PartKind, Turn

__all__ = ["Freshened", "freshened"]

#: In longer files the place of a changed snippet is not looked for; it is told that it changed.
_MAX_LINES = 10_000


@dataclass(frozen=True, slots=True)
class Freshened:
    """What became of a window.

    Attributes:
        turns: the window, notes in place of what is stale.
        changed: those of its turns that have another text now.
        parts: what stands in place of stale snippets, for the newest question.
    """

    turns: tuple[Turn, ...]
    changed: tuple[Turn, ...]
    parts: tuple[Part, ...]


def freshened(
    window: Sequence[Turn], text_of: Callable[[Path], str | None], may_show: Callable[[Path], bool] = lambda _: True
) -> Freshened:
    """Look at each snippet in the window.

    Args:
        window: the turns that are shown word for word.
        text_of: a file's text as it is now; None if it is gone.
        may_show: whether a file's current text may be shown; asked of changed ones alone, since it may run git. A file
            that may not be is told to be gone.
    """
    texts: dict[Path, str | None] = {}
    turns, changed, current = [], [], dict[tuple[Path, str], Part]()
    for turn in window:
        parts = []
        for part in turn.parts:
            if part.path is not None and part.is_quote and part.path not in texts:
                texts[part.path] = text_of(part.path)
            text = texts.get(part.path) if part.path is not None else None
            if part.path is None or not part.is_quote or (text is not None and _stands_in(part.text, text)):
                parts.append(part)
                continue
            if text is not None and not may_show(part.path):
                text = texts[part.path] = None
            parts.append(_note(part, text))
            if text is not None and (new := _as_it_is_now(part, text)) is not None:
                current[part.path, new.text] = new
        fresh = turn if tuple(parts) == turn.parts else replace(turn, parts=tuple(parts))
        turns.append(fresh)
        if fresh is not turn:
            changed.append(fresh)
    return Freshened(tuple(turns), tuple(changed), tuple(current.values()))


def _stands_in(snippet: str, text: str) -> bool:
    """Whether the lines of a snippet stand in a text in a row.

    The indentation of its first line may be left out, as that of a definition is, and a file may have been cut.
    """
    body = "\n".join(line for line in snippet.splitlines() if not line.startswith("[... cut here"))
    whole = "\n".join(text.splitlines())
    start = whole.find(body)
    while start >= 0:
        indentation = whole[whole.rfind("\n", 0, start) + 1 : start]
        end = start + len(body)
        if not indentation.strip() and whole[end : end + 1] in {"", "\n"}:
            return True
        start = whole.find(body, start + 1)
    return False


def _note(part: Part, text: str | None) -> Part:
    what = "has changed since; its current text is shown later" if text is not None else "is gone since"
    return Part(PartKind.NOTE, part.label, f"{part.label} {what}", part.path)


def _as_it_is_now(part: Part, text: str) -> Part | None:
    """The changed snippet as a difference, or in full where that is shorter; None where its place is not found."""
    old, new = part.text.splitlines(), text.splitlines()
    if len(new) > _MAX_LINES:
        return None
    blocks = [
        block for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks() if block.size
    ]
    if not blocks:
        return None
    first, last = blocks[0], blocks[-1]
    start = max(0, first.b - first.a)
    end = min(len(new), last.b + last.size + len(old) - last.a - last.size)
    now = new[start:end]
    if not now or now == old:
        return None
    difference = list(difflib.unified_diff(old, now, lineterm="", n=1))[2:]
    if len(difference) < len(now):
        label = f"{part.label}, changed since it was shown"
        return Part(PartKind.DIFF, label, "\n".join(difference), part.path)
    return replace(part, label=f"{part.label}, as it is now", text="\n".join(now))

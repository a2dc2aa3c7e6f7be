"""Where the text before a cursor is parted in two: what stays in front of the suffix, and what is typed behind it.

A model that is shown the suffix before the middle reads all of the suffix again when the text in front of it changes,
and each line break would change it. So lines that are typed go on behind the middle marker, where they only add tokens,
until there are a few of them; then the parting moves down to the cursor, and the suffix is read once more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from codeassistd.context.by_document import ByDocument, DocumentKey
from codeassistd.context.window import Window

__all__ = ["Anchors"]

MAX_LINES = 8
"""Lines that are typed before the parting moves."""
_MAX_LETTERS = 1024
#: Letters above the parting that must be as they were; what changes further up is read again anyhow.
_N_COMPARED = 512


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A parting: the first line behind it, and the end of the text in front of it."""

    line: int
    above: str


class Anchors:
    """Remembers the parting of each client's document; belongs to one thread."""

    def __init__(self) -> None:
        self._anchors = ByDocument[_Anchor]()

    def part(self, key: DocumentKey, window: Window) -> Window:
        """The window with the lines below the parting moved from `above` to `head`; `line` is the first of them."""
        known = self._anchors.get(key)
        parted = _parted(window, known) if known is not None else None
        if known is not None and parted is not None:
            # In use still, so it does not go before others.
            self._anchors.put(key, known)
            return parted
        self._anchors.put(key, _Anchor(window.line, window.above[-_N_COMPARED:]))
        return window


def _parted(window: Window, anchor: _Anchor) -> Window | None:
    """The window parted where it was before; None where that is too far off, or the text there is another one."""
    n_lines = window.line - anchor.line
    if not 0 <= n_lines <= MAX_LINES or window.line - window.above.count("\n") > anchor.line:
        return None
    # The text above ends with a line break, so a piece more than there are lines.
    lines = window.above.split("\n")
    split = len(lines) - 1 - n_lines
    above = "".join(f"{line}\n" for line in lines[:split])
    recent = "".join(f"{line}\n" for line in lines[split:-1])
    if len(recent) > _MAX_LETTERS or above[-_N_COMPARED:] != anchor.above:
        return None
    return replace(window, above=above, head=recent + window.head, line=anchor.line)

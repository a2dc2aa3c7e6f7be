"""The first lines of an answer of several, shown at once where the rest takes too long.

Pure. They are shown only where they stand well alone: nothing that they opened is still open.
"""

from __future__ import annotations

from dataclasses import replace

from codeassistd.completion.balance import scan
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place, opens_block

__all__ = ["first_lines"]


def first_lines(raw: Raw, place: Place) -> Raw | None:
    """The whole lines of an answer that is still being written; None where they say nothing alone."""
    text, line_break, _ = raw.text.rpartition("\n")
    if not line_break or not text.strip():
        return None
    last = text.rpartition("\n")[2] if "\n" in text else place.head + text
    if not last.strip() or opens_block(last, place.language) or scan(text, place.language).openers:
        return None
    return replace(raw, text=text, is_finished=True, is_cut_off=False)

"""Whether a suggestion may end with the brace that opens a block.

It may where the document closes that block already, or where it is written from above and closes nothing yet. In a
document that is whole, the block has to come whole too, or the brace would take the closer of what stands round it.
"""

from __future__ import annotations

from functools import lru_cache

from codeassistd.completion.balance import CLOSERS, scan
from codeassistd.completion.place import Place, opens_block, opens_value
from codeassistd.syntax.languages import Language

__all__ = ["lacks_brace", "may_end_open"]


def may_end_open(text: str, place: Place) -> bool:
    """Whether `text`, whose last line ends with a brace, may be all of a suggestion."""
    line = text.rpartition("\n")[2] if "\n" in text else place.head + text
    if not opens_block(line, place.language) or opens_value(line):
        return False
    # Closers behind the cursor close what stands round the block.
    return place.rest[:1] not in CLOSERS and (_n_lacking(text, place) <= 0 or _is_unfinished(place))


def _is_unfinished(place: Place) -> bool:
    """Whether the document lacks the closing brace of some block already, or the cursor's line some bracket.

    Who sees no closer behind what was typed will write the others too.
    """
    return lacks_brace(place) or bool(scan(place.head + place.tail, place.language).openers.strip("{"))


def lacks_brace(place: Place) -> bool:
    """Whether the document lacks the closing brace of some block already."""
    return _n_lacking("", place) > 0


def _n_lacking(text: str, place: Place) -> int:
    """Closing braces that the document lacks with `text` at the cursor; below zero, those that it has too many."""
    found = place.scanned(text)
    return found.openers.count("{") - _n_closing(place.tail, place.below, place.language)


@lru_cache(maxsize=4)
def _n_closing(tail: str, below: tuple[str, ...], language: Language | None) -> int:
    """Closing braces from the cursor on that close what was opened before it."""
    text = "\n".join([tail, *below])
    return sum(text[stray] == "}" for stray in scan(text, language).strays)

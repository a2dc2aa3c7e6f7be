"""The parser's word on a suggestion: it must not make a document worse that could be read before.

Brackets and quotes are counted before this; what is left is code that no language's grammar reads, such as two
statements on one line, or a keyword in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Protocol, Self

from codeassistd.completion.layout import keeps_layout
from codeassistd.completion.open_block import lacks_brace
from codeassistd.completion.place import Place
from codeassistd.syntax.soundness import Faults

__all__ = ["ParseJudge", "without_broken_parse"]

#: Each costs a parse of what changed: a millisecond.
_MAX_LINE_CUTS = 12
_MAX_WORD_CUTS = 8
_WORD_END = re.compile(r"[\w)\]}\"'`;](?!\w)")

_Filter = Callable[[str, Place], str]


class ParseJudge(Protocol):
    """Knows the document and the cursor (see `syntax.soundness`)."""

    def n_before(self) -> int:
        """Faults that the document has already."""
        ...

    def faults(self, insertion: str) -> Faults:
        """Faults of the document with `insertion` at the cursor."""
        ...

    def without_rest(self) -> Self | None:
        """The judge of the same place without the rest of its line, where that is at fault already."""
        ...


def without_broken_parse(
    text: str, place: Place, judge: ParseJudge | None, bordered: _Filter, finished: _Filter
) -> str:
    """Cut back to the last point where the document parses no worse than before; nothing where there is none.

    In a document that is broken already, more of the same hides in what the parser skips. So a cut that brings no fault
    of its own goes before a longer one that does.

    Args:
        text: what would be put in.
        place: where.
        judge: None where the language has no grammar; then nothing is cut.
        bordered: takes off a cut what stands behind the cursor already, as it was done with the whole text.
        finished: makes of a cut what the document would get.
    """
    if judge is None or not text.strip():
        return text
    cuts = partial(_cuts, text, place, bordered)
    kept = _kept(cuts(), place, judge, finished)
    if kept == text or not judge.n_before():
        return kept
    bare = judge.without_rest()
    if bare is None or bare.n_before() >= judge.n_before():
        # What stands there is wanted: brackets round a hole, and not one bracket too many.
        return kept
    return max(kept, _kept(cuts(), place, bare, finished), key=len)


def _kept(cuts: Iterable[str], place: Place, judge: ParseJudge, finished: _Filter) -> str:
    spare = ""
    for cut in cuts:
        insertion = finished(cut, place)
        if not insertion.strip() or not keeps_layout(insertion, place):
            continue
        faults = judge.faults(insertion)
        if _is_no_worse(faults, judge):
            return cut
        if judge.n_before() and insertion.endswith("{") and lacks_brace(place) and not place.rest:
            # One more brace that is not closed is nothing new there, so the block is judged as if it were.
            faults = judge.faults(f"{insertion}}}")
            if _is_no_worse(faults, judge):
                return cut
        if not spare and faults.n_all <= judge.n_before():
            spare = cut
    return spare


def _is_no_worse(faults: Faults, judge: ParseJudge) -> bool:
    return faults.n_all == 0 or (not faults.n_own and faults.n_all <= judge.n_before())


def _cuts(text: str, place: Place, bordered: _Filter) -> Iterator[str]:
    yield text
    for cut in _shorter(text, place):
        yield bordered(cut, place)


def _shorter(text: str, place: Place) -> Iterator[str]:
    """Ever less of the text: whole lines, then words of its first line.

    At the start of a line a single word that is left of more says nothing; all grammars read one as a name.
    """
    lines = text.split("\n")
    said = [n_lines for n_lines in range(1, len(lines)) if "\n".join(lines[:n_lines]).strip()]
    for n_lines in said[::-1][:_MAX_LINE_CUTS]:
        yield "\n".join(lines[:n_lines])
    first = "\n".join(lines[: said[0]]) if said else text
    ends = [match.end() for match in _WORD_END.finditer(first)]
    for end in [end for end in ends if end < len(first.rstrip())][::-1][:_MAX_WORD_CUTS]:
        if not (place.is_blank_before and first[:end].strip().isidentifier()):
            yield first[:end]

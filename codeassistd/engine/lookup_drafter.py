"""Guesses the next tokens by looking for what was written before: code repeats itself.

The last tokens of a sequence are looked up in all that came before them, and in the sources that came with the request;
what followed there is the guess. Everything lies in one array, so a guess is a few comparisons in numpy: some 20
microseconds for 8,000 tokens, and nothing has to be kept up to date but the array.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from codeassistd.engine.drafter import NO_DRAFT, Draft, Drafter
from codeassistd.engine.request import GenerateRequest

__all__ = ["LONGEST_MATCH", "SHORTEST_MATCH", "LookupDrafter", "lookup_only"]

SHORTEST_MATCH = 2
"""Tokens that must be the same before a guess is made; one alone is nearly always chance."""

LONGEST_MATCH = 12
"""A longer match does not make the guess better."""

_BORDER = -1
"""Stands between sources; no token is the same, so no match and no guess goes over it."""


class LookupDrafter:
    """Implements `engine.drafter.Drafter` for one sequence.

    The longest match wins, the most recent one among equals: the sequence's own tokens are more recent than the
    sources, and a later source more than an earlier one.
    """

    name = "lookup"

    def __init__(self, sources: Iterable[Sequence[int]] = ()) -> None:
        # Borders before the first token let every match look back without leaving the array.
        known = [_BORDER] * LONGEST_MATCH
        for source in sources:
            known += source
            known.append(_BORDER)
        self._known: npt.NDArray[np.int32] = np.array(known, dtype=np.int32)
        self._start = self._end = len(known)

    def propose(self, tokens: Sequence[int], n_max: int) -> Draft:
        """What followed where `tokens` ended before, at most `n_max` tokens of it."""
        self._take_over(tokens)
        known = self._known[: self._end]
        if n_max < 1 or len(tokens) < SHORTEST_MATCH:
            return NO_DRAFT
        place, n_same = _best_match(known)
        if n_same < SHORTEST_MATCH:
            return NO_DRAFT
        return Draft(_continuation(known, place + 1, n_max), self.name, n_same, LONGEST_MATCH)

    def _take_over(self, tokens: Sequence[int]) -> None:
        """Add what is new of `tokens`, which only ever grows."""
        n_taken = self._end - self._start
        end = self._start + len(tokens)
        if end > len(self._known):
            grown = np.empty(2 * end, dtype=np.int32)
            grown[: self._end] = self._known[: self._end]
            self._known = grown
        self._known[self._end : end] = tokens[n_taken:]
        self._end = end


def lookup_only(request: GenerateRequest) -> tuple[Drafter, ...]:
    """The drafters of a sequence where nothing else can guess: a `drafting.MakeDrafters`."""
    return (LookupDrafter(request.draft_sources),)


def _best_match(known: npt.NDArray[np.int32]) -> tuple[int, int]:
    """Where the end of `known` stood before (the place of its last token), and over how many tokens it is the same."""
    last = len(known) - 1
    places = np.flatnonzero(known[:last] == known[last])
    places = places[known[places + 1] != _BORDER]  # nothing follows there
    if not len(places):
        return 0, 0
    for n_same in range(1, LONGEST_MATCH):
        wanted = known[last - n_same]
        longer = places[known[places - n_same] == wanted] if wanted != _BORDER else places[:0]
        if not len(longer):
            return int(places[-1]), n_same
        places = longer
    return int(places[-1]), LONGEST_MATCH


def _continuation(known: npt.NDArray[np.int32], start: int, n_max: int) -> tuple[int, ...]:
    """What follows from `start` on; where it runs into the end, it repeats itself from there on."""
    period = len(known) - start
    found: list[int] = known[start : start + n_max].tolist()
    if _BORDER in found:
        return tuple(found[: found.index(_BORDER)])
    while len(found) < n_max:
        found.append(found[len(found) - period])
    return tuple(found)

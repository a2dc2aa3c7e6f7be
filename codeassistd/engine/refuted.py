"""Guesses that turned out wrong, so that the next sequence does not make them again at the same place.

Who types sends one prompt after the other that differ by a key, and their answers come to the same places again; what
was looked up there the last time would be looked up again, and be as wrong. One sequence is over before it could learn
that. Lives on the engine's thread; only token ids are kept, and only in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Refuted"]

_N_BEFORE = 8
"""Tokens that make a place: enough to be the same text, few enough to be so however the text before it changes."""

_N_MOST = 256
"""Wrong guesses that are remembered: those of some minutes of typing."""


class Refuted:
    """The newest wrong guesses, each with the tokens that it was made behind."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], None] = {}

    def note(self, tokens: Sequence[int], guess: int) -> None:
        """Behind `tokens` something else came than `guess`."""
        place = (*tokens[-_N_BEFORE:], guess)
        self._places.pop(place, None)
        self._places[place] = None
        if len(self._places) > _N_MOST:
            del self._places[next(iter(self._places))]

    def before(self, tokens: Sequence[int], guesses: tuple[int, ...]) -> tuple[int, ...]:
        """The first of the `guesses` behind `tokens`, up to one that was wrong there."""
        if not self._places:
            return guesses
        row = (*tokens[-_N_BEFORE:], *guesses)
        n_known = len(row) - len(guesses)
        for index in range(len(guesses)):
            end = n_known + index + 1
            if row[max(0, end - 1 - _N_BEFORE) : end] in self._places:
                return guesses[:index]
        return guesses

"""Who guesses ahead: the protocol of drafters, and the drafts that they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from codeassistd.engine.request import GenerateRequest

__all__ = ["NO_DRAFT", "Draft", "Drafter", "MakeDrafters"]


@dataclass(frozen=True, slots=True)
class Draft:
    """Guessed tokens.

    Attributes:
        drafter: who guessed.
        strength: how good the grounds of the first guess are, in tokens that are the same where it was copied from.
            Guesses of one drafter and of equal strength are judged together.
        strongest: each guess that comes true makes the grounds of the next one better by a token, up to this.
        n_promised: tokens that the draft model will guess if it is asked to; until then there are none.
    """

    tokens: tuple[int, ...]
    drafter: str
    strength: int
    strongest: int = 0
    n_promised: int = 0

    @property
    def n_tokens(self) -> int:
        """How long it can be made."""
        return self.n_promised or len(self.tokens)

    def strength_at(self, place: int) -> int:
        """How good the grounds of the guess at `place` are, where all before it were right."""
        return max(self.strength, min(self.strength + place, self.strongest))


NO_DRAFT = Draft((), "", 0)


class Drafter(Protocol):
    """Guesses the next tokens of one sequence."""

    @property
    def name(self) -> str:
        """What its figures are counted under."""

    def propose(self, tokens: Sequence[int], n_max: int) -> Draft:
        """Guess at most `n_max` tokens behind `tokens`, which begin with those of the call before; or `NO_DRAFT`."""


MakeDrafters = Callable[[GenerateRequest], tuple[Drafter, ...]]
"""The drafters of a new sequence, the one to ask first in front."""

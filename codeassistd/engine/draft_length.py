"""How far to guess ahead: pure arithmetic on what was accepted before and what a longer step costs.

A guess is worth its place in a step if the chance that it is right, times a token, is more than what reading it adds to
the step's time. The chance is learned from the guesses before it, and the cost from the steps; so where drafts do not
pay, their length becomes 0 by itself. What was learned fades while nothing is tried, and then it is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Acceptance", "Chance", "best_speed", "share_out"]

_KEPT_PER_DRAFT = 0.9
"""Weight of what was known before, each time that a draft is judged: about the last ten drafts count."""

_KEPT_PER_SKIP = 0.99
"""The same, each time that a draft was not tried: after some fifty of them a bad start is forgiven."""

_PRIOR_WEIGHT = 2.0
"""How many judged guesses the prior belief is worth."""


@dataclass(slots=True)
class Acceptance:
    """How often guesses of one kind were right of late.

    Only guesses that were reached count: behind a wrong one nothing is known of the others.
    """

    n_right: float = 0.0
    n_wrong: float = 0.0

    def rate(self, prior: float) -> float:
        """The chance that the next guess is right; `prior` is what is believed where nothing was seen."""
        return (self.n_right + _PRIOR_WEIGHT * prior) / (self.n_right + self.n_wrong + _PRIOR_WEIGHT)

    def see(self, n_drafted: int, n_accepted: int) -> None:
        """Count a draft that was tried."""
        self.n_right = _KEPT_PER_DRAFT * self.n_right + n_accepted
        self.n_wrong = _KEPT_PER_DRAFT * self.n_wrong + (n_accepted < n_drafted)

    def fade(self) -> None:
        """A draft was there and was not tried: trust what was seen a little less."""
        self.n_right *= _KEPT_PER_SKIP
        self.n_wrong *= _KEPT_PER_SKIP


@dataclass(frozen=True, slots=True)
class Chance:
    """One draft that could be tried.

    Attributes:
        rate: chance that a guess is right if those before it were.
        n_tokens: its length.
        price: what it costs to make one of its guesses, in steps of one token; 0 for those that are there already.
    """

    rate: float
    n_tokens: int
    price: float = 0.0


def share_out(
    chances: Sequence[Chance], n_sequences: int, room: int, cost_of: Callable[[int], float]
) -> tuple[int, ...]:
    """How many tokens of each draft to read in one step, so that it gives the most tokens for its time.

    Args:
        chances: the drafts.
        n_sequences: tokens that the step reads and gives without them, at least one for each draft.
        room: most tokens of drafts.
        cost_of: time of a step by its number of tokens, in steps of one token.
    """
    # The most likely guesses first. Within a draft no guess is more likely than the one before it, and the sort keeps
    # the order of equals, so any number of the first ones takes a beginning of each draft.
    guesses = sorted(
        (
            (chance.rate**place, index)
            for index, chance in enumerate(chances)
            for place in range(1, min(chance.n_tokens, room) + 1)
        ),
        key=lambda guess: -guess[0],
    )[:room]
    n_best, expected, spent = 0, float(n_sequences), 0.0
    best = expected / cost_of(n_sequences)
    for n_guesses, (likelihood, index) in enumerate(guesses, start=1):
        expected += likelihood
        spent += chances[index].price
        speed = expected / (spent + cost_of(n_sequences + n_guesses))
        if speed > best:
            n_best, best = n_guesses, speed
    lengths = [0] * len(chances)
    for _likelihood, index in guesses[:n_best]:
        lengths[index] += 1
    return tuple(lengths)


def best_speed(chance: Chance, cost_of: Callable[[int], float]) -> float:
    """How many times faster than token by token a lone sequence is written with such drafts of the best length."""
    expected, cost, best = 1.0, 0.0, 1.0
    for n_guesses in range(1, chance.n_tokens + 1):
        expected += chance.rate**n_guesses
        cost += chance.price
        best = max(best, expected * cost_of(1) / (cost + cost_of(1 + n_guesses)))
    return best

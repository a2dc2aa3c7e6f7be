"""How far to guess ahead: pure arithmetic on how likely guesses are (`acceptance`) and what a longer step costs.

A guess is worth its place in a step if the chance that it is right, times a token, is more than what reading it adds to
the step's time. The chance is learned from the guesses before it, and the cost from the steps; so where drafts do not
pay, their length becomes 0 by itself. What was learned fades while nothing is tried, and then it is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul

__all__ = ["Chance", "best_speed", "share_out"]

_GROUP = 4
"""Tokens that a processor's kernels read at once; what is left over costs it as much as single ones. With the starter a
step of 3 tokens takes 2.5 steps of one and one of 4 takes 2.3; so do 7 and 8, 11 and 12, 15 and 16."""

_FULL_GROUPS = 1.05
"""How many times faster a step without such a rest is taken to be than is believed so far: a difference between two
neighbouring sizes is learned only where both are tried."""


@dataclass(frozen=True, slots=True)
class Chance:
    """One draft that could be tried.

    Attributes:
        rates: for each of its guesses the chance that it is right if those before it were.
        price: what it costs to make one of its guesses, in steps of one token; 0 for those that are there already.
    """

    rates: Sequence[float]
    price: float = 0.0

    @property
    def likelihoods(self) -> list[float]:
        """For each of its guesses the chance that it and all before it are right."""
        return list(accumulate(self.rates, mul))


def share_out(
    chances: Sequence[Chance], n_sequences: int, room: int, cost_of: Callable[[int], float]
) -> tuple[int, ...]:
    """How many tokens of each draft to read in one step, so that it gives the most tokens for its time.

    A step that fills its groups of tokens is preferred to another one that is not clearly faster.

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
            (likelihood, index)
            for index, chance in enumerate(chances)
            for likelihood in chance.likelihoods[: max(room, 0)]
        ),
        key=lambda guess: -guess[0],
    )[:room]
    n_best, expected, spent = 0, float(n_sequences), 0.0
    plain = best = expected / cost_of(n_sequences)
    for n_guesses, (likelihood, index) in enumerate(guesses, start=1):
        expected += likelihood
        spent += chances[index].price
        n_tokens = n_sequences + n_guesses
        speed = expected / (spent + cost_of(n_tokens))
        worth = speed if n_tokens % _GROUP else _FULL_GROUPS * speed
        if speed > plain and worth > best:
            n_best, best = n_guesses, worth
    lengths = [0] * len(chances)
    for _likelihood, index in guesses[:n_best]:
        lengths[index] += 1
    return tuple(lengths)


def best_speed(chance: Chance, cost_of: Callable[[int], float]) -> float:
    """How many times faster than token by token a lone sequence is written with such drafts of the best length."""
    expected, cost, best = 1.0, 0.0, 1.0
    for n_guesses, likelihood in enumerate(chance.likelihoods, start=1):
        expected += likelihood
        cost += chance.price
        best = max(best, expected * cost_of(1) / (cost + cost_of(1 + n_guesses)))
    return best

"""The gate's weights, fitted to what one user did with suggestions. Pure and deterministic.

A logistic model whose prior are the constants: with few rows it stays near them, and with many it still cannot go far.
It learns which suggestions are worth showing, not how many: that is for the dial alone. So the weights are moved until
the user's own suggestions have the same mean as with the constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeassistd.completion.history.record import Record
from codeassistd.completion.logistic import MAX_LOGIT, Prior, chances_of, most_likely
from codeassistd.completion.weights import CERTAINTIES, CONSTANTS, FEATURES, SPREADS, Weights, features

__all__ = ["MIN_EACH", "MIN_ROWS", "GateInForce", "learn"]

#: Suggestions with a known outcome from which on something is learned, and how many of them of each kind.
MIN_ROWS = 200
MIN_EACH = 30
#: The constants weigh as much as so many suggestions.
_PRIOR_ROWS = 100.0
#: No weight moves the score further than this for a usual difference of its number (in units of the logit).
_MAX_CHANGE = 0.75
_N_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class GateInForce:
    """Which gate judges, for people too.

    Attributes:
        name: `constants` or `learned`.
        why: in one line.
        n_rows: suggestions of the user with a known outcome.
    """

    weights: Weights
    name: str
    why: str
    n_rows: int = 0


def learn(records: Sequence[Record]) -> GateInForce:
    """The gate after `records`, in whatever order they come."""
    telling = sorted((record for record in records if record.was_right is not None), key=lambda record: record.id)
    n_rows, n_right = len(telling), sum(bool(record.was_right) for record in telling)
    if n_rows < MIN_ROWS or min(n_right, n_rows - n_right) < MIN_EACH:
        return GateInForce(
            CONSTANTS,
            "constants",
            f"{n_rows} suggestions have an outcome, {n_right} of them good; "
            f"it learns from {MIN_ROWS} on, with {MIN_EACH} of each kind",
            n_rows,
        )
    numbers = np.array([features(record.evidence) for record in telling])
    right = np.array([float(bool(record.was_right)) for record in telling])
    weights = _fitted(numbers, right)
    # Also where a number is odd: no comparison with it holds.
    if not _loss(weights, numbers, right) < _loss(_constants(), numbers, right):
        return GateInForce(CONSTANTS, "constants", "what was learned explains the history no better", n_rows)
    return GateInForce(Weights(tuple(map(float, weights))), "learned", f"from {n_rows} suggestions", n_rows)


def _fitted(numbers: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most likely weights within their bounds, with the mean of the logits as the constants have it.

    The first weight is the user's own level (some accept much, some little), which says nothing about the others: it
    is free, and replaced at the end.
    """
    scale = _spreads()
    prior = _constants() * scale
    low, high = prior - _MAX_CHANGE, prior + _MAX_CHANGE
    for name in CERTAINTIES:
        low[FEATURES.index(name)] = max(0.0, low[FEATURES.index(name)])
    low[0], high[0] = -np.inf, np.inf
    # A row at even odds bends the likelihood by a quarter of its number squared.
    stiffness = np.full(len(FEATURES), _PRIOR_ROWS / 4)
    stiffness[0] = 0.0
    fitted = most_likely(numbers / scale, right, Prior(prior, stiffness, low, high)) / scale
    fitted[0] += float((numbers @ (_constants() - fitted)).mean())
    return fitted


def _loss(weights: NDArray[np.float64], numbers: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Mean negative logarithm of the chance that was given to what happened, at the user's own level."""
    logits = numbers @ weights
    low, high = -MAX_LOGIT - logits.max(), MAX_LOGIT - logits.min()
    for _ in range(_N_HALVINGS):
        level = (low + high) / 2
        low, high = (level, high) if chances_of(logits + level).mean() < right.mean() else (low, level)
    chances = chances_of(logits + low)
    return float(-(right * np.log(chances) + (1 - right) * np.log(1 - chances)).mean())


def _constants() -> NDArray[np.float64]:
    return np.array(CONSTANTS.values)


def _spreads() -> NDArray[np.float64]:
    return np.array(SPREADS)

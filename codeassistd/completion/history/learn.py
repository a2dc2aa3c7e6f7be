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
from codeassistd.completion.weights import CERTAINTIES, CONSTANTS, FEATURES, SPREADS, Weights, features

__all__ = ["MIN_EACH", "MIN_ROWS", "GateInForce", "learn"]

#: Suggestions with a known outcome from which on something is learned, and how many of them of each kind.
MIN_ROWS = 200
MIN_EACH = 30
#: The constants weigh as much as so many suggestions.
_PRIOR_ROWS = 100.0
#: No weight moves the score further than this for a usual difference of its number (in units of the logit).
_MAX_CHANGE = 0.75
_N_STEPS = 30
_SMALL = 1e-9


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
    weights = _bounded(_fitted(numbers, right), numbers)
    if weights is None or _loss(weights, numbers, right) >= _loss(_constants(), numbers, right):
        return GateInForce(CONSTANTS, "constants", "what was learned explains the history no better", n_rows)
    return GateInForce(Weights(tuple(map(float, weights))), "learned", f"from {n_rows} suggestions", n_rows)


def _fitted(numbers: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most likely weights under a normal prior round the constants, by Newton's method; all numbers scaled."""
    scale = _spreads()
    scaled, prior = numbers / scale, _constants() * scale
    # A row at even odds bends the likelihood by a quarter of its number squared.
    stiffness = np.full(len(FEATURES), _PRIOR_ROWS / 4)
    weights = prior.copy()
    for _ in range(_N_STEPS):
        chance = _chances(scaled @ weights)
        slope = scaled.T @ (chance - right) + stiffness * (weights - prior)
        bend = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + np.diag(stiffness)
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if float(np.abs(step).max()) < _SMALL:
            break
    return weights / scale


def _bounded(weights: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The weights within their bounds, with the mean of the logits as the constants have it; None if they are odd."""
    if not np.isfinite(weights).all():
        return None
    constants, reach = _constants(), _MAX_CHANGE / _spreads()
    bounded = np.clip(weights, constants - reach, constants + reach)
    for name in CERTAINTIES:
        place = FEATURES.index(name)
        bounded[place] = max(0.0, bounded[place])
    bounded[0] += float((numbers @ (constants - bounded)).mean())
    return bounded


def _loss(weights: NDArray[np.float64], numbers: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Mean negative logarithm of the chance that was given to what happened, with the best level for this user.

    The level is the user's own (some accept much, some little) and says nothing about the weights.
    """
    logits = numbers @ weights
    level = 0.0
    for _ in range(_N_STEPS):
        chance = _chances(logits + level)
        level += float((right - chance).sum() / max(_SMALL, (chance * (1 - chance)).sum()))
    chance = np.clip(_chances(logits + level), _SMALL, 1 - _SMALL)
    return float(-(right * np.log(chance) + (1 - right) * np.log(1 - chance)).mean())


def _chances(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    chances: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    return chances


def _constants() -> NDArray[np.float64]:
    return np.array(CONSTANTS.values)


def _spreads() -> NDArray[np.float64]:
    return np.array(SPREADS)

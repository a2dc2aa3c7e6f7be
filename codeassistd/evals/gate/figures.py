"""How good a gate is, and the weights that would have been best. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from codeassistd.completion.gate import THRESHOLDS
from codeassistd.completion.logistic import Prior, most_likely
from codeassistd.completion.weights import CERTAINTIES, FEATURES, SPREADS, Weights, features
from codeassistd.evals.fit.run import Asked
from codeassistd.evals.gate.pairs import Pair, pairs_of
from codeassistd.evals.paired import Values
from codeassistd.metrics.stats import share

__all__ = ["best_weights", "dial_row", "gate_values", "ranking"]

#: How hard weights are drawn to nothing while they are fitted: enough for places that are seldom met.
_STIFFNESS = 2.0

Figures = dict[str, float | int | str | None]


def dial_row(pairs: Sequence[Pair], weights: Weights, eagerness: str) -> Figures:
    """What one setting of the dial shows: how much, how much of it right, and how much of what is right."""
    shown = [pair for pair in pairs if weights.score(pair.evidence) >= THRESHOLDS[eagerness]]
    n_right = sum(pair.right for pair in shown)
    return {
        "eagerness": eagerness,
        "n_texts": len(pairs),
        "show_share": share(len(shown), len(pairs)),
        "precision_share": share(n_right, len(shown)),
        "recall_share": share(n_right, sum(pair.right for pair in pairs)),
    }


def gate_values(asked: Sequence[Asked], weights: Weights, eagerness: str) -> dict[str, Values]:
    """What one setting of the dial shows, cursor by cursor, to be compared; what is shown right, of all and of shown.

    Every cursor counts, since nothing is fitted here.
    """
    pairs = [next(iter(pairs_of([one])), None) for one in asked]
    shown = [pair is not None and weights.score(pair.evidence) >= THRESHOLDS[eagerness] for pair in pairs]
    right = [is_shown and pair is not None and pair.right for is_shown, pair in zip(shown, pairs, strict=True)]
    return {
        "show_share": [float(is_shown) for is_shown in shown],
        "right_share": [float(is_right) for is_right in right],
        "precision_share": [
            float(is_right) if is_shown else None for is_shown, is_right in zip(shown, right, strict=True)
        ],
    }


def ranking(pairs: Sequence[Pair], weights: Weights) -> float | None:
    """In which share of pairs of a right and a wrong text the right one scores higher; a tie is half."""
    scores = [(weights.score(pair.evidence), pair.right) for pair in pairs]
    right, wrong = [score for score, good in scores if good], [score for score, good in scores if not good]
    n_won = sum((good > bad) + (good == bad) / 2 for good, bad in product(right, wrong))
    return share(n_won, len(right) * len(wrong))


def best_weights(pairs: Sequence[Pair]) -> Weights:
    """The weights that explain best which of the texts are right; certainty never speaks against one.

    Raises:
        ValueError: there are no pairs.
    """
    if not pairs:
        raise ValueError("there is nothing to fit to")
    spreads, nothing = np.array(SPREADS), np.zeros(len(FEATURES))
    low = np.array([0.0 if name in CERTAINTIES else -np.inf for name in FEATURES])
    stiffness = np.full(len(FEATURES), _STIFFNESS)
    stiffness[0] = 0.0
    numbers = np.array([features(pair.evidence) for pair in pairs]) / spreads
    right = np.array([float(pair.right) for pair in pairs])
    fitted = most_likely(numbers, right, Prior(nothing, stiffness, low, np.full(len(FEATURES), np.inf))) / spreads
    return Weights(tuple(round(float(weight), 2) for weight in fitted))

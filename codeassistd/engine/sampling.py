"""Choosing a token from a row of scores: pure functions on numpy rows.

Greedy is `argmax`; with a temperature the choice is drawn, from a generator that the caller seeds. The probability
that is reported is always the model's own, before the temperature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codeassistd.errors import DecodeError

__all__ = ["Row", "Sample", "sample"]

Row = npt.NDArray[np.float32]
"""Scores of every token of the vocabulary."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One chosen token.

    Attributes:
        logprob: natural logarithm of the model's probability of it.
        margin: its score less the best score among the others; negative where a draw took a lesser one.
    """

    id: int
    logprob: float
    margin: float


def sample(row: Row, temperature: float, draws: np.random.Generator) -> Sample:
    """Choose from `row`: the best at temperature 0, else drawn from `draws`.

    Raises:
        DecodeError: the scores are not numbers.
    """
    best = int(row.argmax())
    peak = float(row[best])
    if not np.isfinite(peak):  # argmax answers the first NaN if there is one
        raise DecodeError("the model's scores are not numbers; the file may be damaged")
    chosen = best if temperature <= 0.0 else _draw(row, peak, temperature, draws)
    log_total = float(np.log(np.exp(row - peak).sum(dtype=np.float64)))
    score = float(row[chosen])
    return Sample(chosen, score - peak - log_total, score - _best_beside(row, chosen))


def _draw(row: Row, peak: float, temperature: float, draws: np.random.Generator) -> int:
    weights = np.exp((row.astype(np.float64) - peak) / temperature)
    edges = weights.cumsum()
    place = int(edges.searchsorted(draws.random() * edges[-1], side="right"))
    return min(place, len(row) - 1)


def _best_beside(row: Row, chosen: int) -> float:
    # Two reductions over the halves: no copy, no sort, and the backend's buffer stays as it is.
    left = float(row[:chosen].max()) if chosen > 0 else -np.inf
    right = float(row[chosen + 1 :].max()) if chosen + 1 < len(row) else -np.inf
    return max(left, right)

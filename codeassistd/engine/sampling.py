"""Choosing a token from a row of scores, with numpy alone.

Greedy is `argmax`; with a temperature the choice is drawn, from a generator that the caller seeds. Everything else is
chosen by the backend (`TokenSampler`) and described here. The probability that is reported is always the model's own,
before temperature, penalty and grammar.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codeassistd.errors import DecodeError

__all__ = ["Row", "Sample", "Sampler"]

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


class Sampler:
    """Chooses tokens of one vocabulary; the answer depends on the arguments only.

    It owns a row to compute in: fresh arrays of that size come from the system page by page, which cost three times as
    much as the arithmetic.
    """

    def __init__(self, n_vocab: int) -> None:
        self._scratch = np.empty(n_vocab, dtype=np.float32)

    def choose(self, row: Row, temperature: float, draws: np.random.Generator) -> Sample:
        """Choose from `row`: the best at temperature 0, else drawn from `draws`.

        Raises:
            DecodeError: the scores are not numbers.
        """
        best = _best(row)
        chosen = best if temperature <= 0.0 else _draw(row, float(row[best]), temperature, draws)
        return self._told(row, best, chosen)

    def describe(self, row: Row, chosen: int) -> Sample:
        """What is to be said of a token that something else chose from `row`.

        Raises:
            DecodeError: the scores are not numbers.
        """
        return self._told(row, _best(row), chosen)

    def _told(self, row: Row, best: int, chosen: int) -> Sample:
        peak, score = row[best], float(row[chosen])
        return Sample(chosen, score - float(peak) - self._log_total(row, peak), score - _best_beside(row, chosen))

    def _log_total(self, row: Row, peak: np.float32) -> float:
        np.subtract(row, peak, out=self._scratch)
        np.exp(self._scratch, out=self._scratch)
        return float(np.log(self._scratch.sum()))


def _best(row: Row) -> int:
    best = int(row.argmax())
    if not np.isfinite(row[best]):  # argmax answers the first NaN if there is one
        raise DecodeError("the model's scores are not numbers; the file may be damaged")
    return best


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

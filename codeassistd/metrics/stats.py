"""What is made of many measured values: percentiles, ratios of pairs, and how sure they are.

Single runs differ by a third on a busy machine, so two ways are compared by pairs that were measured one right after
the other, and the median of the pairs' ratios is given with an interval.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Interval", "Ratio", "bootstrap", "median", "paired_ratio", "percentile", "share"]

_N_DRAWS = 1000
_LEVEL = 0.95
_SEED = 20240131


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of an interval that holds the true value with the level that was asked for."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median ratio of pairs.

    Attributes:
        value: of our way to the other; above 1 means that ours gives more.
        n_pairs: how many pairs it was made of.
    """

    value: float
    interval: Interval
    n_pairs: int


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value under which `percent` of the values lie, between two of them in proportion; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def median(values: Sequence[float]) -> float | None:
    """The value in the middle; None without values."""
    return percentile(values, 50)


def share(n_part: float, n_whole: float) -> float | None:
    """The part of the whole, from 0 to 1; None of nothing."""
    return n_part / n_whole if n_whole else None


def paired_ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The median of `ours / theirs`, pair by pair.

    Raises:
        ValueError: there are no pairs, or not as many of one as of the other.
    """
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    if not ratios:
        raise ValueError("there are no pairs")
    return Ratio(statistics.median(ratios), bootstrap(ratios, statistics.median), len(ratios))


def bootstrap(values: Sequence[float], figure: Callable[[Sequence[float]], float]) -> Interval:
    """Where `figure` lies in 95 of 100 samples drawn from `values` with replacement; the same values give the same."""
    draws = random.Random(_SEED)  # noqa: S311 - statistics, not secrets
    figures = [figure(draws.choices(values, k=len(values))) for _ in range(_N_DRAWS)]
    rest = 100 * (1 - _LEVEL) / 2
    low, high = percentile(figures, rest), percentile(figures, 100 - rest)
    if low is None or high is None:
        raise AssertionError("there are always draws")
    return Interval(low, high)

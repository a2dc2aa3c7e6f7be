"""The middle of values with any tails, against figures of the published tables."""

from __future__ import annotations

import random

import pytest

from codeassistd.metrics.signed_rank import middle, middle_interval
from codeassistd.metrics.stats import Interval


def test_the_middle_is_that_of_the_means_of_pairs() -> None:
    """1, 2 and 9 have the means 1, 1.5, 2, 5, 5.5, 9: the middle lies between 2 and 5."""
    assert 3.5 == middle([1.0, 2.0, 9.0])
    assert 4.0 == middle([4.0])
    with pytest.raises(ValueError, match="no values"):
        middle([])


@pytest.mark.parametrize(
    ("n_values", "level", "n_cut"), [(6, 0.95, 0), (8, 0.95, 3), (8, 0.99, 0), (10, 0.95, 8), (16, 0.99, 19)]
)
def test_the_ends_are_those_of_the_tables(n_values: int, level: float, n_cut: int) -> None:
    """Wilcoxon's critical sums, two-sided: 0, 3, 0, 8 and 19; so many means are cut off on each side."""
    values = [float(2**place) for place in range(n_values)]
    means = sorted((values[i] + values[j]) / 2 for i in range(n_values) for j in range(i, n_values))
    assert Interval(means[n_cut], means[-1 - n_cut]) == middle_interval(values, level)


@pytest.mark.parametrize(("n_values", "level"), [(0, 0.9), (4, 0.9), (5, 0.95), (7, 0.99)])
def test_too_few_values_say_nothing(n_values: int, level: float) -> None:
    """However alike they are: by chance alone all lie on one side more often than is allowed."""
    assert None is middle_interval([1.0] * n_values, level)


def test_one_value_that_is_off_by_far_does_no_harm() -> None:
    """Fifteen about 1 and one of a million: the mean would be 62,501."""
    rng = random.Random(3)
    values = [*(rng.gauss(1.0, 0.1) for _ in range(15)), 1e6]
    interval = middle_interval(values, 0.99)
    assert 0.9 < middle(values) < 1.1
    assert interval is not None
    assert 0.8 < interval.low < 1.0 < interval.high < 1.2

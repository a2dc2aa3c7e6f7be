from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.metrics.stats import bootstrap, median, paired_ratio, percentile, share


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([], 50, None),
        ([7.0], 90, 7.0),
        ([3.0, 1.0, 2.0], 50, 2.0),
        ([1.0, 2.0], 50, 1.5),
        ([float(value) for value in range(101)], 99, 99.0),
        ([0.0, 10.0], 90, 9.0),
        ([4.0, 2.0], 0, 2.0),
        ([4.0, 2.0], 100, 4.0),
    ],
)
def test_a_percentile_lies_between_its_neighbours_in_proportion(
    values: list[float], percent: float, expected: float | None
) -> None:
    """In any order of the values; nothing is said about none."""
    assert expected == percentile(values, percent)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_the_median_is_that_of_the_standard_library(values: list[float]) -> None:
    """One more witness than our own examples."""
    assert pytest.approx(statistics.median(values)) == median(values)


def test_a_share_of_nothing_is_unknown() -> None:
    """Neither 0 nor 1 would be true."""
    assert None is share(0, 0)
    assert 0.25 == share(1, 4)


def test_pairs_are_compared_pair_by_pair() -> None:
    """A machine that was slow for both halves of a pair does not count."""
    ratio = paired_ratio([100.0, 10.0, 55.0], [50.0, 5.0, 50.0])

    assert (2.0, 3) == (ratio.value, ratio.n_pairs)
    assert 1.1 <= ratio.interval.low <= 2.0 <= ratio.interval.high <= 2.0


@pytest.mark.parametrize(("ours", "theirs"), [([], []), ([1.0], [1.0, 2.0])])
def test_values_without_their_pair_are_refused(ours: list[float], theirs: list[float]) -> None:
    """The measurement was wrong, so no figure must come of it."""
    with pytest.raises(ValueError, match=r"pairs|shorter|longer"):
        paired_ratio(ours, theirs)


def test_an_interval_is_the_same_each_time() -> None:
    """Two reports of the same values must not differ."""
    values = [1.0, 2.0, 3.0, 4.0, 100.0]

    first, second = (bootstrap(values, statistics.median) for _ in range(2))

    assert first == second
    assert 1.0 <= first.low < 3.0 < first.high <= 100.0


def test_equal_values_leave_no_doubt() -> None:
    """An interval of one point."""
    interval = bootstrap([2.0, 2.0, 2.0], statistics.median)

    assert (2.0, 2.0) == (interval.low, interval.high)

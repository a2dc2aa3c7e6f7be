"""Where the middle of a few values lies, whatever their tails: by Hodges and Lehmann, with the interval of Wilcoxon.

The middle is the median of the means of all pairs of values. The interval holds it with at least the level that is
asked for wherever the values lie alike to both sides of it; no other shape is taken for granted, so a few values that
are off by far do no harm. It is exact, not drawn: the same values give the same one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median

from codeassistd.metrics.stats import Interval

__all__ = ["middle", "middle_interval"]


def middle(values: Sequence[float]) -> float:
    """The median of the means of all pairs, each value with itself too.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("there are no values")
    return median(_means(values))


def middle_interval(values: Sequence[float], level: float) -> Interval | None:
    """Both ends of the middle; None where they are too few to say anything with that level."""
    n_outside = _n_outside(len(values), (1 - level) / 2)
    if n_outside == 0:
        return None
    means = sorted(_means(values))
    return Interval(means[n_outside - 1], means[-n_outside])


def _means(values: Sequence[float]) -> list[float]:
    return [(one + other) / 2 for one, other in itertools.combinations_with_replacement(values, 2)]


def _n_outside(n_values: int, tail: float) -> int:
    """Means on each side that lie outside: as many rank sums as together are no likelier than `tail`; 0 if none are."""
    n_ways = [1]
    for rank in range(1, n_values + 1):
        # Each rank counts or does not, by the sign of its value.
        n_ways = [
            (n_ways[total] if total < len(n_ways) else 0) + (n_ways[total - rank] if total >= rank else 0)
            for total in range(len(n_ways) + rank)
        ]
    most = tail * 2.0**n_values
    n_outside, n_so_far = 0, 0
    for n_way in n_ways:
        n_so_far += n_way
        if n_so_far > most:
            break
        n_outside += 1
    return n_outside

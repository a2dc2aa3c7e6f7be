"""Two settings on the same cases: how much one is above the other, and whether that is more than chance. Pure.

Cases differ far more than settings do, so what counts is the difference on each of them. Its mean gets an interval by
drawing cases anew with replacement; where the interval holds zero, nothing can be said, and that is what is said.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeassistd.metrics.stats import bootstrap

__all__ = ["NO_DIFFERENCE", "Paired", "Values", "paired", "vs_rows"]

NO_DIFFERENCE = "no difference seen"

Values = Sequence[float | None]
"""A figure of each case, in the same order everywhere; None where a case has none."""


@dataclass(frozen=True, slots=True)
class Paired:
    """One figure under two settings.

    Attributes:
        n_pairs: cases that have the figure under both.
        ours, theirs: its mean over them; None without any.
        change: theirs less ours.
        low, high: ends of the interval that holds the true change in 95 of 100.
    """

    n_pairs: int
    ours: float | None
    theirs: float | None
    change: float | None
    low: float | None
    high: float | None

    @property
    def is_seen(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def verdict(self) -> str:
        """In words: whether the other setting gives more or less."""
        if not self.is_seen or self.change is None:
            return NO_DIFFERENCE
        return "more" if self.change > 0 else "less"


def paired(ours: Values, theirs: Values) -> Paired:
    """Compare a figure case by case; always the same for the same values.

    Raises:
        ValueError: there are not as many of one as of the other.
    """
    pairs = [(one, two) for one, two in zip(ours, theirs, strict=True) if one is not None and two is not None]
    if not pairs:
        return Paired(0, None, None, None, None, None)
    changes = [two - one for one, two in pairs]
    interval = bootstrap(changes, statistics.fmean)
    return Paired(
        n_pairs=len(pairs),
        ours=statistics.fmean(one for one, _ in pairs),
        theirs=statistics.fmean(two for _, two in pairs),
        change=statistics.fmean(changes),
        low=interval.low,
        high=interval.high,
    )


def vs_rows(figures: Mapping[str, tuple[Values, Values]], **about: object) -> Iterator[dict[str, object]]:
    """The rows of a report, one for each figure, from its values by case: ours, and those of the other setting.

    Args:
        figures: both values by name.
        about: more keys of each row, such as what was compared.
    """
    for name, (ours, theirs) in figures.items():
        found = paired(ours, theirs)
        yield {
            "table": "vs",
            **about,
            "figure": name,
            "n_pairs": found.n_pairs,
            "ours": found.ours,
            "theirs": found.theirs,
            "change": found.change,
            "low": found.low,
            "high": found.high,
            "verdict": found.verdict,
        }

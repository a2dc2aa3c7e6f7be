"""What one measurement gives, and how much work it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeassistd.metrics.stats import Ratio

__all__ = ["Effort", "Measured", "Row", "ratio_row"]

Row = Mapping[str, object]
"""A line of a table; `table` names which."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How often things are done.

    Attributes:
        n_pairs: pairs of runs that a ratio is the median of.
    """

    n_pairs: int = 30

    @property
    def n_blocks(self) -> int:
        """Pairs of runs that are long or noisy enough for a tenth of it."""
        return max(1, self.n_pairs // 5)

    @property
    def n_keys(self) -> int:
        """Keys typed."""
        return max(2, self.n_pairs * 20 // 3)

    @property
    def n_cancels(self) -> int:
        """Requests cancelled."""
        return max(1, self.n_pairs * 10 // 3)

    @property
    def n_repeats(self) -> int:
        """Steps of one kind that a time is the median of."""
        return max(1, self.n_pairs // 3)


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures by name, None where nothing could be found out, and the lines of tables."""

    figures: Mapping[str, float | int | None]
    rows: Sequence[Row] = ()


def ratio_row(figure: str, ratio: Ratio) -> Row:
    """A ratio with its interval, as a line of the table of ratios."""
    return {
        "table": "ratios",
        "figure": figure,
        "value": ratio.value,
        "low": ratio.interval.low,
        "high": ratio.interval.high,
        "n_pairs": ratio.n_pairs,
    }

"""The newest of a stream of measurements, kept in order: medians that a few mad values do not move."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque

__all__ = ["Window"]


class Window:
    """The last `n_most` values; adding costs a move in a short list, a quantile nothing."""

    __slots__ = ("_in_order", "_newest")

    def __init__(self, n_most: int) -> None:
        self._newest: deque[float] = deque(maxlen=n_most)
        self._in_order: list[float] = []

    def __len__(self) -> int:
        return len(self._in_order)

    def add(self, value: float) -> None:
        """Take a value in, and the oldest out where there are too many."""
        if len(self._newest) == self._newest.maxlen:
            del self._in_order[bisect_left(self._in_order, self._newest[0])]
        self._newest.append(value)
        insort(self._in_order, value)

    def quantile(self, share: float) -> float:
        """The value that `share` of all are not above, by nearest rank; 0 while there are none."""
        if not self._in_order:
            return 0.0
        return self._in_order[min(int(share * len(self._in_order)), len(self._in_order) - 1)]

    @property
    def median(self) -> float:
        """The middle value; of an even number the upper one, and 0 while there are none."""
        return self.quantile(0.5)

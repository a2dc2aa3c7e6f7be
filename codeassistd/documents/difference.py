"""What one version of a text has in place of another: the one stretch outside of which both are the same.

Found by comparing bytes, so it does not matter in how many edits, in which order or with which ranges an editor told
of a change.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Difference", "difference"]

#: Bytes compared at once; comparing is as fast as copying, and only the block with the difference is looked into.
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True)
class Difference:
    """`removed` stood at the byte `start`, and `inserted` stands there now."""

    start: int
    removed: bytes
    inserted: bytes

    @property
    def removed_end(self) -> int:
        """Where the removed bytes ended, in the older text."""
        return self.start + len(self.removed)

    @property
    def growth(self) -> int:
        """How many bytes longer the text became."""
        return len(self.inserted) - len(self.removed)

    @property
    def is_empty(self) -> bool:
        """Whether both texts are the same."""
        return not self.removed and not self.inserted


def difference(before: bytes, after: bytes) -> Difference:
    """The shortest stretch that makes `after` of `before`; as far back as it can lie where letters repeat."""
    n_common = min(len(before), len(after))
    start = _n_same_at_start(before, after, n_common)
    n_end = _n_same_at_end(before, after, n_common - start)
    return Difference(start, before[start : len(before) - n_end], after[start : len(after) - n_end])


def _n_same_at_start(one: bytes, other: bytes, limit: int) -> int:
    same = 0
    while same < limit:
        size = min(_BLOCK, limit - same)
        if one[same : same + size] != other[same : same + size]:
            return same + _n_same_in_block(one[same : same + size], other[same : same + size])
        same += size
    return same


def _n_same_at_end(one: bytes, other: bytes, limit: int) -> int:
    same = 0
    while same < limit:
        size = min(_BLOCK, limit - same)
        left, right = one[len(one) - same - size : len(one) - same], other[len(other) - same - size : len(other) - same]
        if left != right:
            return same + _n_same_in_block(left[::-1], right[::-1])
        same += size
    return same


def _n_same_in_block(one: bytes, other: bytes) -> int:
    """How many bytes two different blocks begin alike with; by halves."""
    low, high = 0, len(one)
    while low + 1 < high:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low

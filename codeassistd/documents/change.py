"""One change of a text, with the bytes themselves: what an editor told, or what two versions differ in.

Standard library only, since the proxy keeps documents too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from codeassistd.text import n_alike, n_alike_behind

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """`removed` stood at the byte `start`, and `inserted` stands there then; neither begins or ends like the other."""

    start: int
    removed: bytes
    inserted: bytes

    @classmethod
    def of(cls, start: int, removed: bytes, inserted: bytes) -> Self:
        """What really changes where an editor replaces more than it has to, such as whole lines."""
        n_before = n_alike(removed, inserted)
        n_behind = n_alike_behind(removed, inserted, min(len(removed), len(inserted)) - n_before)
        return cls(
            start + n_before,
            removed[n_before : len(removed) - n_behind],
            inserted[n_before : len(inserted) - n_behind],
        )

    @classmethod
    def between(cls, before: bytes, after: bytes) -> Self:
        """The one change that makes `after` of `before`; reads both, so not for each key in a large text."""
        return cls.of(0, before, after)

    @property
    def removed_end(self) -> int:
        """Where the removed bytes ended, in the older text."""
        return self.start + len(self.removed)

    @property
    def inserted_end(self) -> int:
        """Where the inserted bytes end, in the newer text."""
        return self.start + len(self.inserted)

    @property
    def growth(self) -> int:
        """How many bytes longer the text became."""
        return len(self.inserted) - len(self.removed)

    def applied(self, before: bytes) -> bytes:
        """The text after it."""
        return before[: self.start] + self.inserted + before[self.removed_end :]

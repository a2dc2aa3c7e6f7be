"""What one version of a document has in place of another, with the bytes themselves."""

from __future__ import annotations

from dataclasses import dataclass

from codeassistd.syntax.edits import difference

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """`removed` stood at the byte `start`, and `inserted` stands there now; as far back as it can lie."""

    start: int
    removed: bytes
    inserted: bytes

    @classmethod
    def between(cls, before: bytes, after: bytes) -> Change:
        """The one change that makes `after` of `before`, in however many edits it was told."""
        edit = difference(before, after)
        return cls(edit.start, before[edit.start : edit.old_end], after[edit.start : edit.new_end])

    @property
    def removed_end(self) -> int:
        """Where the removed bytes ended, in the older text."""
        return self.start + len(self.removed)

    @property
    def growth(self) -> int:
        """How many bytes longer the text became."""
        return len(self.inserted) - len(self.removed)

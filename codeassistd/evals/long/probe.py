"""One text that a model is tried with: what it reads, and what stands behind that in truth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Kind", "Probe"]


class Kind(StrEnum):
    """What is hard about a text."""

    LONG = "long function"
    """A function of the interpreter's library that takes more than half of the context."""
    BRACKETS = "deep brackets"
    """Written by us: brackets that are opened line by line and have to be closed."""
    STRINGS = "string concatenation"
    """Written by us: lines that put strings together by a table that stands far above."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Python source, cut at the end of a line.

    Attributes:
        given: what the model reads before it writes; ends without its line break, which begins `truth`.
        truth: what stands behind it.
        is_settled: whether nothing else than `truth`, or what means the same, is right.
    """

    kind: Kind
    name: str
    given: str
    truth: str
    is_settled: bool

    @property
    def text(self) -> str:
        """All of it."""
        return self.given + self.truth

    @classmethod
    def of_lines(cls, kind: Kind, name: str, lines: list[str], n_given: int, *, is_settled: bool) -> Probe:
        """The text of these lines, of which the first `n_given` are given."""
        given, rest = "\n".join(lines[:n_given]), "\n".join(lines[n_given:])
        return cls(kind, name, given, f"\n{rest}", is_settled)

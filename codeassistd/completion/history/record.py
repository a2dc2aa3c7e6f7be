"""One suggestion as the history keeps it: numbers and words of ours, never a letter of the text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codeassistd.completion.evidence import Evidence
from codeassistd.metrics.spans import Span

__all__ = ["CHECKS", "Check", "Fate", "Record"]


class Fate(StrEnum):
    """What the user did with a suggestion."""

    SHOWN = "shown"
    """Nothing yet, or it was replaced by another before anything could be told."""
    ACCEPTED = "accepted"
    PARTLY = "partly"
    """Some of it was taken, word by word or line by line, and the rest was not."""
    TYPED = "typed"
    """The user typed most of it by hand."""
    DISMISSED = "dismissed"
    """Something else was typed, or the cursor went elsewhere."""


class Check(StrEnum):
    """When it is looked at how much of an accepted text is still there; also the name of the answer's column."""

    KEPT_30S = "kept_30s"
    KEPT_2MIN = "kept_2min"
    KEPT_10MIN = "kept_10min"


#: Seconds from the acceptance to each look, in order.
CHECKS: tuple[tuple[Check, float], ...] = ((Check.KEPT_30S, 30.0), (Check.KEPT_2MIN, 120.0), (Check.KEPT_10MIN, 600.0))


@dataclass(frozen=True, slots=True)
class Record:
    """One row.

    Attributes:
        shown_at: wall time in seconds.
        source: where the text came from: the model, or a cache.
        gate: which weights judged it.
        taken: share of its letters that came into the document by accepting or typing.
        kept_30s, kept_2min, kept_10min: share of the taken text that was still there; None where nobody looked.
    """

    id: str
    shown_at: float
    language: str
    trigger: str
    source: str
    gate: str
    score: float
    evidence: Evidence
    fate: Fate = Fate.SHOWN
    taken: float = 0.0
    kept_30s: float | None = None
    kept_2min: float | None = None
    kept_10min: float | None = None

    @classmethod
    def of(cls, span: Span, gate: str, wall_s: float) -> Record:
        """The record of a suggestion that is shown now, from the span of its request."""
        return cls(
            id=span.id,
            shown_at=wall_s,
            language=span.language,
            trigger=span.trigger,
            source=span.source.value,
            gate=gate,
            score=span.score or 0.0,
            evidence=Evidence.of_table(span.evidence),
        )

    @property
    def kept(self) -> float | None:
        """The newest answer to how much of it is still there."""
        known = [kept for kept in (self.kept_10min, self.kept_2min, self.kept_30s) if kept is not None]
        return known[0] if known else None

    @property
    def was_right(self) -> bool | None:
        """Whether it was worth showing; None where that cannot be told."""
        if self.fate is Fate.SHOWN:
            return None
        return self.fate is not Fate.DISMISSED and (self.kept is None or self.kept >= _MOST)


#: From this share on most of a text is there.
_MOST = 0.5

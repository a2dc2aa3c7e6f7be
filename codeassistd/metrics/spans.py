"""One span per request: what was asked, what was done, how long it took and why nothing came.

Spans hold no source text and no path, only numbers and words of ours, so they may be logged and shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from codeassistd.metrics.reading import DraftSum

__all__ = ["FilterEffect", "Outcome", "PartSize", "Source", "Span", "SpanListener", "SpanLog"]


class Outcome(StrEnum):
    """How one request ended; each ends in exactly one."""

    SHOWN = "shown"
    """An item was returned."""
    EMPTY = "empty"
    """The model ended at once, or the pipeline left nothing."""
    SILENT = "silent"
    """A rule keeps us silent here (secret file, language off, middle of a word ...)."""
    SUPERSEDED = "superseded"
    """A newer request of the same document took over."""
    CANCELLED = "cancelled"
    """The client took it back."""
    DEADLINE = "deadline"
    """Nothing fit to show was there in time."""
    LOADING = "loading"
    """The model is not loaded yet."""
    OUT_OF_SYNC = "out-of-sync"
    """The server's text of this document may differ from the editor's."""
    REFUSED = "refused"
    """It cannot be answered as it was asked; the reason says why."""
    ERROR = "error"
    """The engine failed; the reason says how."""


class Source(StrEnum):
    """Where an answer came from."""

    NONE = "none"
    """There was none."""
    ENGINE = "engine"
    """It was generated for this request."""
    LIVE = "live"
    """An earlier request's, known or still being generated, along which the user has typed."""
    CACHE = "cache"
    """One that was kept for the same question."""
    FOLLOW_UP = "follow-up"
    """Worked out ahead while the suggestion before it was shown."""


@dataclass(frozen=True, slots=True)
class PartSize:
    """One part of a prompt by its size.

    Attributes:
        name: the kind of the part, never its text.
        score: how much it seemed worth when parts were chosen; None where there was no choice.
    """

    name: str
    n_tokens: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class FilterEffect:
    """What a filter took from an answer, or added to it, in letters."""

    name: str
    n_before: int
    n_after: int


@dataclass(slots=True)
class Span:
    """The story of one request; filled in by the one task that serves it, frozen by being put into the log.

    Attributes:
        source: where the answer came from, if there was any.
        pause_ms: time that was waited for a further key before the engine was asked.
        saved_ms: what the engine had spent on the answer before this request came.
        tpot_ms: from one token to the next in the engine, on average over the answer; 0 for less than two.
        is_measured: whether the engine has told what it did. Until it has, the tokens are those that were sent and
            received, and nothing is known of the cache, the queue and the drafts.
        n_proposed, n_confirmed: tokens of an answer to a similar question that was proposed, and those of them that the
            model would have written too.
        proposal_ms: what that spared the engine; below 0 where it cost more.
        n_drafted, n_accepted: tokens that were guessed ahead, and those of them that the model would have written too.
        parts: of the prompt, in order.
        filters, effects: what acted on the answer, in order, and what it made of it.
        score: what the gate gave the text, from 0 to 1; None where it came to no text.
        threshold: the least score that would have been shown.
        evidence: the numbers and words that the score was made of, by name.
        accepted: whether the user took the suggestion.
        at_s: when the request came, in seconds since 1970.
        cached_from: where the tokens were that did not have to be read: `slot`, `another slot`, `memory` or `disk`.
        drafts: who guessed ahead how much, and how much of it was right.
    """

    id: str
    trigger: str
    language: str
    outcome: Outcome = Outcome.EMPTY
    reason: str = ""
    source: Source = Source.NONE
    pause_ms: float = 0.0
    context_ms: float = 0.0
    queue_ms: float = 0.0
    prefill_ms: float = 0.0
    ttft_ms: float = 0.0
    tpot_ms: float = 0.0
    total_ms: float = 0.0
    saved_ms: float = 0.0
    n_prompt: int = 0
    n_cached: int = 0
    n_output: int = 0
    n_drafted: int = 0
    n_accepted: int = 0
    n_proposed: int = 0
    n_confirmed: int = 0
    proposal_ms: float = 0.0
    is_measured: bool = True
    parts: tuple[PartSize, ...] = ()
    filters: tuple[str, ...] = ()
    effects: tuple[FilterEffect, ...] = ()
    score: float | None = None
    threshold: float | None = None
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    accepted: bool = False
    at_s: float = 0.0
    cached_from: str = ""
    drafts: tuple[DraftSum, ...] = ()


class SpanListener(Protocol):
    """Hears of spans on the loop's thread."""

    def ended(self, span: Span) -> None:
        """A request has its answer."""

    def measured(self, span: Span) -> None:
        """The engine has told what it did for a request, or was not asked."""

    def accepted(self, span: Span) -> None:
        """The user took its suggestion."""


@dataclass(slots=True)
class SpanLog:
    """The last spans, in memory only, and the counts of all of them; `on_add` is called after each new one.

    Each goes to the `listener` twice: when it ended, and when the engine has told what it did for it.

    Attributes:
        n_prompt, n_cached, n_drafted, n_accepted: sums over the measured ones, so that their shares are true.
        sources: how many suggestions came from where.
        saved_ms: what the engine did not have to do again for them.
    """

    capacity: int = 200
    on_add: Callable[[], None] | None = None
    listener: SpanListener | None = None
    counts: dict[Outcome, int] = field(default_factory=dict)
    sources: dict[Source, int] = field(default_factory=dict)
    saved_ms: float = 0.0
    n_prompt: int = 0
    n_cached: int = 0
    n_drafted: int = 0
    n_accepted: int = 0
    _spans: deque[Span] = field(default_factory=deque)

    def add(self, span: Span) -> None:
        """Keep `span`, dropping the oldest over capacity."""
        self.counts[span.outcome] = self.counts.get(span.outcome, 0) + 1
        if self.listener is not None:
            self.listener.ended(span)
        if span.is_measured:
            self._sum_up(span)
        if span.outcome is Outcome.SHOWN:
            self.sources[span.source] = self.sources.get(span.source, 0) + 1
            self.saved_ms += span.saved_ms
        self._spans.append(span)
        while len(self._spans) > self.capacity:
            self._spans.popleft()
        if self.on_add is not None:
            self.on_add()

    def measured(self, span: Span) -> None:
        """The engine has told what it did for `span`, whether that was added already or not."""
        span.is_measured = True
        if any(kept is span for kept in self._spans):
            self._sum_up(span)

    def accepted(self, span_id: str) -> None:
        """The user took a suggestion; an id that is not kept any more is let be, and one counts once."""
        span = self.find(span_id)
        if span is None or span.accepted:
            return
        span.accepted = True
        if self.listener is not None:
            self.listener.accepted(span)

    def last(self) -> Span | None:
        """The newest span."""
        return self._spans[-1] if self._spans else None

    def find(self, span_id: str) -> Span | None:
        """The span of that id, while it is kept."""
        return next((span for span in self._spans if span.id == span_id), None)

    def recent(self) -> tuple[Span, ...]:
        """All kept spans, oldest first."""
        return tuple(self._spans)

    def _sum_up(self, span: Span) -> None:
        if self.listener is not None:
            self.listener.measured(span)
        self.n_prompt += span.n_prompt
        self.n_cached += span.n_cached
        self.n_drafted += span.n_drafted
        self.n_accepted += span.n_accepted

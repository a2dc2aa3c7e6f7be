"""A span as it is told: with what its figures mean for each part of the prompt, and where the time went. Pure."""

from __future__ import annotations

from dataclasses import asdict

from codeassistd.metrics.spans import Span

__all__ = ["explained", "listed", "timings_ms"]


def explained(span: Span) -> dict[str, object]:
    """All that a span holds, as plain values; `parts` have their cached tokens, `timings_ms` add up to the total."""
    parts = [{**asdict(part), "n_cached": n_cached} for part, n_cached in zip(span.parts, _cached(span), strict=True)]
    return {**asdict(span), "parts": parts, "timings_ms": timings_ms(span)}


def listed(span: Span) -> dict[str, object]:
    """What tells one request from another."""
    return {
        "id": span.id,
        "at_s": span.at_s,
        "trigger": span.trigger,
        "language": span.language,
        "outcome": span.outcome.value,
        "source": span.source.value,
        "total_ms": span.total_ms,
        "n_prompt": span.n_prompt,
        "n_cached": span.n_cached,
        "n_output": span.n_output,
        "accepted": span.accepted,
        "reason": span.reason,
    }


def timings_ms(span: Span) -> dict[str, float]:
    """Where the time of a request went, in the order in which it passed.

    The engine may go on after the answer was given, so what it took is cut off where the request ends.
    """
    left_ms = span.total_ms
    timings = {}
    for name, took_ms in (
        ("context", span.context_ms),
        ("pause", span.pause_ms),
        ("queue", span.queue_ms),
        ("reading", span.prefill_ms),
        ("writing", span.tpot_ms * max(0, span.n_output - 1)),
    ):
        timings[name] = min(took_ms, left_ms)
        left_ms -= timings[name]
    return {**timings, "rest": left_ms}


def _cached(span: Span) -> list[int | None]:
    """How many tokens of each part came from the cache, which holds the start of the prompt.

    None where the parts are not all of the prompt, as those of a chat are not: then nothing tells where they stand.
    """
    if sum(part.n_tokens for part in span.parts) != span.n_prompt:
        return [None for _ in span.parts]
    found: list[int | None] = []
    n_left = span.n_cached
    for part in span.parts:
        n_cached = min(part.n_tokens, n_left)
        n_left -= n_cached
        found.append(n_cached)
    return found

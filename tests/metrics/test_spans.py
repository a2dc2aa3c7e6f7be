"""Spans: one per request, a bounded number kept, all of them counted."""

from __future__ import annotations

from dataclasses import replace

from codeassistd.metrics.spans import Outcome, Span, SpanLog


def span(number: int, outcome: Outcome = Outcome.SHOWN) -> Span:
    return Span(id=str(number), trigger="automatic", language="python", outcome=outcome, n_prompt=10, n_cached=number)


def test_only_the_newest_spans_are_kept_but_all_are_counted() -> None:
    """Memory stays bounded over a day of typing, and the totals stay right."""
    log = SpanLog(capacity=2)
    for number in range(4):
        log.add(replace(span(number), n_drafted=4, n_accepted=number))

    assert ["2", "3"] == [kept.id for kept in log.recent()]
    assert {Outcome.SHOWN: 4} == log.counts
    assert (40, 6) == (log.n_prompt, log.n_cached)
    assert (16, 6) == (log.n_drafted, log.n_accepted)


def test_a_span_is_found_by_its_id_while_it_is_kept() -> None:
    """`explain` can tell a request that is gone from one that never was only by the id."""
    log = SpanLog(capacity=1)
    log.add(span(1))
    log.add(span(2, Outcome.EMPTY))

    assert log.find("1") is None
    assert log.find("2") is log.last()


def test_an_empty_log_has_no_last_span() -> None:
    """`explain show` before the first request is a normal question."""
    assert SpanLog().last() is None

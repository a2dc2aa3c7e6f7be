"""A span as it is told."""

from __future__ import annotations

from codeassistd.metrics.explained import explained, listed, timings_ms
from codeassistd.metrics.spans import Outcome, PartSize, Source, Span


def span(**more: object) -> Span:
    made = Span("1", "automatic", "python", Outcome.SHOWN, source=Source.ENGINE)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def test_the_cache_holds_the_start_of_the_prompt() -> None:
    """So the cached tokens are those of the first parts, and of one part a piece."""
    parts = (PartSize("chunks", 30, 0.4), PartSize("outline", 20), PartSize("prefix", 50))

    told = explained(span(parts=parts, n_prompt=100, n_cached=45))

    assert [
        {"name": "chunks", "n_tokens": 30, "score": 0.4, "n_cached": 30},
        {"name": "outline", "n_tokens": 20, "score": None, "n_cached": 15},
        {"name": "prefix", "n_tokens": 50, "score": None, "n_cached": 0},
    ] == told["parts"]


def test_parts_that_are_not_the_whole_prompt_do_not_say_what_was_cached() -> None:
    """Those of a chat stand somewhere among its turns."""
    told = explained(span(parts=(PartSize("file", 30),), n_prompt=100, n_cached=45))

    assert [{"name": "file", "n_tokens": 30, "score": None, "n_cached": None}] == told["parts"]


def test_the_times_add_up_to_the_whole() -> None:
    """What is not known of the engine is the rest."""
    made = span(total_ms=100.0, context_ms=5.0, pause_ms=10.0, queue_ms=1.0, prefill_ms=40.0, tpot_ms=8.0, n_output=4)

    assert {
        "context": 5.0,
        "pause": 10.0,
        "queue": 1.0,
        "reading": 40.0,
        "writing": 24.0,
        "rest": 20.0,
    } == timings_ms(made)


def test_what_the_engine_did_after_the_answer_is_cut_off() -> None:
    """A suggestion is shown before the engine has let go of it."""
    timings = timings_ms(span(total_ms=50.0, prefill_ms=40.0, tpot_ms=10.0, n_output=9))

    assert (40.0, 10.0, 0.0) == (timings["reading"], timings["writing"], timings["rest"])


def test_a_list_tells_requests_apart() -> None:
    """By when, where from and what came of them; nothing of the text."""
    assert {
        "id": "1",
        "at_s": 1000.0,
        "trigger": "automatic",
        "language": "python",
        "outcome": "shown",
        "source": "engine",
        "total_ms": 12.0,
        "n_prompt": 0,
        "n_cached": 0,
        "n_output": 0,
        "accepted": False,
        "reason": "",
    } == listed(span(at_s=1000.0, total_ms=12.0))

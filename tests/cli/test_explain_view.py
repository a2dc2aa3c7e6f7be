"""How a request is explained, from spans that are written out."""

from __future__ import annotations

from typing import Any

from codeassistd.cli.explain_view import list_rows, part_rows, story_lines, summary_rows
from codeassistd.metrics.explained import explained, listed
from codeassistd.metrics.reading import DraftSum
from codeassistd.metrics.spans import FilterEffect, Outcome, PartSize, Source, Span

SHOWN = Span(
    "4f2a",
    "automatic",
    "python",
    Outcome.SHOWN,
    "one statement is wanted here",
    Source.ENGINE,
    pause_ms=20.0,
    context_ms=10.0,
    queue_ms=10.0,
    prefill_ms=80.0,
    ttft_ms=120.0,
    tpot_ms=20.0,
    total_ms=200.0,
    n_prompt=100,
    n_cached=70,
    n_output=4,
    n_proposed=6,
    n_confirmed=5,
    proposal_ms=31.0,
    parts=(PartSize("definitions", 60, 0.1234), PartSize("prefix", 40)),
    effects=(FilterEffect("typed-start", 31, 28), FilterEffect("max-lines", 28, 20)),
    score=0.42,
    threshold=0.15,
    evidence={"min_margin": 1.234, "situation": "statement"},
    cached_from="another slot",
    drafts=(DraftSum("lookup", 12, 5),),
)


def summary(span: Span) -> dict[str, list[str]]:
    """The rows by their first column; a row without one belongs to that above it."""
    found: dict[str, list[str]] = {}
    name = ""
    for row in summary_rows(explained(span)):
        name = str(row[0]) or name
        found.setdefault(name, []).append(str(row[1]))
    return found


def test_a_suggestion_is_explained_from_its_trigger_to_its_filters() -> None:
    """Everything that bore on it, in the order in which it happened."""
    expected = {
        "request": ["4f2a, -"],
        "asked": ["automatic, python"],
        "outcome": ["shown (from engine)"],
        "because": ["one statement is wanted here"],
        "taken": ["not yet"],
        "gate": ["0.42, 0.15 is asked for"],
        "evidence": ["min_margin 1.23, situation statement"],
        "time": [
            "200.0 ms, to the first token 120.0 ms",
            "[cc....qqrrrrrrrrrrrrrrrrwwwwwwwwwwww    ]",
            "context 10.0 ms, pause 20.0 ms, queue 10.0 ms, reading 80.0 ms, writing 60.0 ms, rest 20.0 ms",
        ],
        "prompt": ["100 tokens, 70 from the cache (another slot)"],
        "answer": ["4 tokens, one in 20.0 ms"],
        "guesses": ["lookup 5 of 12 right"],
        "proposal": ["of a similar place, 5 of 6 tokens confirmed; spared 31.0 ms"],
        "filters": ["typed-start: 31 -> 28 letters", "max-lines: 28 -> 20 letters"],
    }

    assert expected == summary(SHOWN)


def test_a_silence_says_why_and_nothing_of_what_did_not_happen() -> None:
    """No gate, no prompt, no guesses: the rule came before all of them."""
    span = Span("1", "invoked", "python", Outcome.SILENT, "this is a secret file", total_ms=0.5)

    assert {
        "request": ["1, -"],
        "asked": ["by hand, python"],
        "outcome": ["silent"],
        "because": ["this is a secret file"],
        "time": ["0.5 ms", f"[{' ' * 40}]", "rest 0.5 ms"],
    } == summary(span)


def test_an_answer_that_was_at_hand_says_what_it_spared() -> None:
    """And where it came from, in words."""
    span = Span("1", "automatic", "python", Outcome.SHOWN, source=Source.LIVE, total_ms=2.0, saved_ms=340.0)

    found = summary(span)

    assert (["shown (from typed along)"], ["340.0 ms of the engine, which had worked on it before"]) == (
        found["outcome"],
        found["spared"],
    )


def test_a_question_has_no_language_and_its_answer_is_not_accepted() -> None:
    """Neither is spoken of."""
    span = Span("1", "chat", "", Outcome.SHOWN, source=Source.ENGINE, total_ms=0.5)

    assert {
        "request": ["1, -"],
        "asked": ["chat"],
        "outcome": ["shown (from engine)"],
        "time": ["0.5 ms", f"[{' ' * 40}]", "rest 0.5 ms"],
    } == summary(span)


def test_figures_that_are_still_to_come_are_told_so() -> None:
    """The answer is out before the engine has let go of the request."""
    span = Span("1", "automatic", "python", Outcome.SHOWN, n_prompt=9, is_measured=False)

    assert ["9 tokens, 0 from the cache; the engine is still at work"] == summary(span)["prompt"]


def test_each_part_has_its_tokens_its_cache_and_its_score() -> None:
    """In the order of the prompt."""
    assert [("definitions", "60", "60", "0.123"), ("prefix", "40", "10", "")] == list(part_rows(explained(SHOWN)))


def test_texts_are_told_part_by_part_and_filter_by_filter() -> None:
    """As they were: what looks like markup of the terminal is text."""
    story: dict[str, Any] = {
        "parts": [{"kind": "prefix", "source": "a.py", "n_tokens": 3, "text": "x = [red]"}],
        "raw": " 1\n2",
        "steps": [{"name": "max-lines", "before": " 1\n2", "after": " 1"}],
    }

    assert [
        "--- prefix a.py (3 tokens)",
        "x = [red]",
        "--- the answer",
        " 1\n2",
        "--- after max-lines",
        " 1",
    ] == [line.plain for line in story_lines(story)]


def test_requests_are_listed_in_short() -> None:
    """One row each; no tokens where no prompt was read."""
    silent = Span("2", "invoked", "go", Outcome.SILENT, "snoozed", total_ms=0.25)
    rows = [tuple(str(cell) for cell in row) for row in list_rows([listed(SHOWN), listed(silent)])]

    assert [
        ("4f2a", "-", "automatic", "shown", "engine", "200.0 ms", "70/100", "one statement is wanted here"),
        ("2", "-", "invoked", "silent", "", "0.2 ms", "", "snoozed"),
    ] == rows

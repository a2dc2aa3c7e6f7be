from __future__ import annotations

import pytest

from codeassistd.bench.replies import FileTyped, Reply, is_without_engine, typing_figures


def reply(suggestion: str | None = "x", *, latency_ms: float = 10.0, since: str = "", ahead: str = "") -> Reply:
    return Reply(latency_ms, suggestion, "id" if suggestion is not None else "", since, ahead)


def file(*replies: Reply, first: Reply | None = None, cpu_s: float = 0.0, **counts: int) -> FileTyped:
    known = {"n_explained": 0, "n_without_engine": 0, "n_prompt": 0, "n_cached": 0} | counts
    return FileTyped("a.py", 0, first or reply(), replies, cpu_s=cpu_s, **known)


@pytest.mark.parametrize(
    ("suggestion", "ahead", "expected"),
    [
        ("a + b", "a + b\nreturn x\n", True),
        ("a +", "a + b\n", True),
        ("a - b", "a + b\n", False),
        ("a + b\n    return y", "a + b\nreturn x\n", True),
        ("\n    pass", "\n    pass\n", True),
        ("   ", "   x", False),
        (None, "a", False),
    ],
)
def test_an_item_agrees_if_its_first_line_is_typed_next(suggestion: str | None, ahead: str, *, expected: bool) -> None:
    """What comes in lines further down is not yet in the user's sight."""
    assert expected is reply(suggestion, ahead=ahead).agrees


@pytest.mark.parametrize(
    ("suggestion", "since", "expected"),
    [("abc", "", True), ("abc", "ab", True), ("abc", "ax", False), ("abc", "abcd", False), (None, "", False)],
)
def test_an_item_is_still_right_if_the_user_typed_along(suggestion: str | None, since: str, *, expected: bool) -> None:
    """An editor can only show what goes on from what stands there now."""
    assert expected is reply(suggestion, since=since).is_still_right


@pytest.mark.parametrize(
    ("source", "expected"), [("engine", False), ("live", True), ("cache", True), ("follow-up", True)]
)
def test_only_the_engine_itself_is_the_engine(source: str, *, expected: bool) -> None:
    """What an earlier request had the engine write counts as at hand."""
    assert expected is is_without_engine({"source": source})


def test_latencies_count_only_answers_with_an_item() -> None:
    """An empty answer is fast, and worth nothing."""
    figures = typing_figures([file(reply(latency_ms=100.0), reply(None, latency_ms=1.0), reply(latency_ms=300.0))])

    assert (3, 200.0, 2 / 3) == (figures["n_keys"], figures["p50_ms"], figures["show_rate"])


def test_files_are_put_together_by_their_counts() -> None:
    """A file with more keys weighs more."""
    figures = typing_figures(
        [
            file(reply(ahead="x"), cpu_s=1.0, n_explained=1, n_without_engine=1, n_prompt=100, n_cached=100),
            file(reply(), reply(since="y"), reply(), cpu_s=1.0, n_explained=3, n_prompt=300, n_cached=0),
        ]
    )

    assert 0.5 == figures["cpu_s_per_key"]
    assert 0.25 == figures["prefix_reuse"]
    assert 0.25 == figures["without_engine_share"]
    assert 0.25 == figures["agree_share"]
    assert 0.75 == figures["still_right_share"]


def test_first_requests_stand_apart() -> None:
    """They find no prompt in the cache, and would hide what typing feels like."""
    figures = typing_figures(
        [
            file(reply(latency_ms=1.0), first=reply(latency_ms=1500.0)),
            file(reply(latency_ms=1.0), first=reply(latency_ms=500.0)),
            file(reply(latency_ms=1.0), first=reply(None, latency_ms=2000.0)),
        ]
    )

    assert (1.0, 1000.0, 1500.0) == (figures["p99_ms"], figures["first_ms"], figures["first_max_ms"])
    assert 2 / 3 == figures["first_show_rate"]


def test_without_any_item_there_are_no_times() -> None:
    """Nothing is made up."""
    figures = typing_figures([file(reply(None), first=reply(None))])

    assert [None, None, None] == [figures[name] for name in ("p50_ms", "agree_share", "first_max_ms")]
    assert 0.0 == figures["show_rate"]

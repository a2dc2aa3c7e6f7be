"""The service: one request in, one result and one span out, whatever happens in between."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from codeassistd.catalogue.profile import FimOrder, Profile
from codeassistd.completion.types import CompletionResult, MenuEntry
from codeassistd.engine.request import EngineState, FinishReason
from codeassistd.errors import DecodeError, NotReadyError
from codeassistd.metrics.spans import Outcome
from tests.support.completing import Bench, cursor


def text_of(result: CompletionResult) -> str | None:
    return result.suggestion.text if result.suggestion is not None else None


async def test_an_answer_becomes_a_suggestion() -> None:
    """The text fits, and the span tells what it cost."""
    bench = Bench()
    result = await bench.complete(cursor("total = |"), "a + b\nprint(total)")

    assert "a + b" == text_of(result)
    assert Outcome.SHOWN == result.span.outcome
    assert {"prefix", "suffix", "middle"} == {part.name for part in result.span.parts}
    assert result.span.n_prompt == sum(part.n_tokens for part in result.span.parts)
    assert result.span.n_prompt - 1 == result.span.n_cached
    assert (result.span,) == bench.spans.recent()


async def test_the_line_is_enough() -> None:
    """The engine is stopped as soon as the line is over, and what came behind is not shown."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("total = |")))
    play = await bench.engine.play(0)
    play.say("a", " +", " b", "\n", "c")
    result = await running

    assert "a + b" == text_of(result)
    assert 1 == play.n_cancelled


async def test_time_counts_from_the_moment_when_the_editor_asked() -> None:
    """What the request waited for before it came here is part of what its user waits, and of the deadline."""
    bench = Bench()
    await bench.clock.advance(0.3)
    request = replace(cursor("total = |", deadline_ms=500), arrived_s=bench.clock.monotonic_s() - 0.25)
    running = asyncio.create_task(bench.service.complete(request))
    await bench.engine.play(0)
    await bench.clock.advance(0.25)
    result = await running

    assert (Outcome.DEADLINE, 500.0) == (result.span.outcome, pytest.approx(result.span.total_ms))


async def test_a_block_ends_at_its_dedent() -> None:
    """Behind a head the whole body is wanted, and nothing of what follows it."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("def f(a):|")))
    play = await bench.engine.play(0)
    play.say("\n    b = a\n", "\n    return b", "\n\ndef g")
    result = await running

    assert "\n    b = a\n\n    return b" == text_of(result)
    assert 1 == play.n_cancelled


async def test_the_newest_request_wins_at_once() -> None:
    """The older one of the same document ends without waiting for the engine; text that contradicts it aborts it."""
    bench = Bench()
    older = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    play.say(" b")
    await bench.clock.advance(0.0)
    newer = asyncio.create_task(bench.service.complete(cursor("x = a|")))
    await bench.engine.play(1)
    result = await older

    assert (None, Outcome.SUPERSEDED) == (text_of(result), result.span.outcome)
    assert 1 == play.n_cancelled
    bench.engine.plays[1].say("b")
    bench.engine.plays[1].end()
    assert "b" == text_of(await newer)


@pytest.mark.parametrize("other", [{"client": "s2"}, {"path": "/home/ada/shop/other.py"}])
async def test_other_documents_and_editors_are_left_alone(other: dict[str, str]) -> None:
    """Only a newer request of the same document of the same editor takes over."""
    bench = Bench()
    older = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    await bench.complete(cursor("y = |", **other), "2")
    play.say("1")
    play.end()

    assert "1" == text_of(await older)


async def test_a_cancelled_request_is_aborted() -> None:
    """The engine is told, and the span says so."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor()))
    play = await bench.engine.play(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert 1 == play.n_cancelled
    assert [Outcome.CANCELLED] == [span.outcome for span in bench.spans.recent()]


async def test_an_editor_that_leaves_ends_its_requests() -> None:
    """Nobody waits for the answer any more."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor()))
    play = await bench.engine.play(0)
    bench.service.client_gone("s1")
    result = await running

    assert (None, Outcome.CANCELLED, 1) == (text_of(result), result.span.outcome, play.n_cancelled)


async def test_at_the_deadline_what_is_there_is_shown() -> None:
    """Half an answer that fits is better than none."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |", deadline_ms=2000)))
    play = await bench.engine.play(0)
    play.say("a +")
    await bench.clock.advance(1.9)
    assert not running.done()
    await bench.clock.advance(0.2)
    result = await running

    assert ("a +", 1) == (text_of(result), play.n_cancelled)
    assert Outcome.SHOWN == result.span.outcome


async def test_at_the_deadline_nothing_may_be_there() -> None:
    """The prompt is still being read: an empty answer in time."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |", deadline_ms=500)))
    play = await bench.engine.play(0)
    await bench.clock.advance(0.5)
    result = await running

    assert (None, Outcome.DEADLINE, 1) == (text_of(result), result.span.outcome, play.n_cancelled)
    assert "500 ms" in result.span.reason


async def test_half_a_line_at_the_end_of_a_block_is_dropped() -> None:
    """Of several lines only whole ones are shown when the time is over."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("def f(a):|", deadline_ms=500)))
    (await bench.engine.play(0)).say("\n    b = a\n    retu")
    await bench.clock.advance(0.5)

    assert "\n    b = a" == text_of(await running)


@pytest.mark.parametrize(
    ("state", "detail", "outcome", "reason"),
    [
        (EngineState.LOADING, "40 %", Outcome.LOADING, "the model is being loaded (40 %)"),
        (EngineState.FAILED, "no file", Outcome.ERROR, "the model could not be loaded: no file"),
        (EngineState.EMPTY, "", Outcome.ERROR, "no model is set; choose one with `codeassistd model use`"),
        (EngineState.STOPPED, "", Outcome.ERROR, "the engine is stopped"),
    ],
)
async def test_without_a_model_the_answer_is_empty_at_once(
    state: EngineState, detail: str, outcome: Outcome, reason: str
) -> None:
    """And the span says why."""
    bench = Bench()
    bench.engine.vocabulary, bench.engine.state, bench.engine.detail = None, state, detail
    result = await bench.complete(cursor())

    assert (None, outcome, reason) == (text_of(result), result.span.outcome, result.span.reason)


async def test_a_fault_of_the_engine_is_an_empty_answer_with_its_cause() -> None:
    """What came before the fault is not shown."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor()))
    play = await bench.engine.play(0)
    play.say("a")
    play.end(FinishReason.ERROR, "the backend failed: out of memory")
    result = await running

    assert (None, Outcome.ERROR) == (text_of(result), result.span.outcome)
    assert "the backend failed: out of memory" == result.span.reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NotReadyError("the model is being loaded"), "the model is being loaded"),
        (DecodeError("step failed"), "step failed"),
        (KeyError("x"), "internal error: KeyError: 'x'"),
    ],
)
async def test_nothing_is_raised(error: Exception, reason: str) -> None:
    """An editor gets an empty answer, whatever is wrong here."""
    bench = Bench()
    bench.engine.error = error
    result = await bench.complete(cursor())

    assert (None, Outcome.ERROR, reason) == (text_of(result), result.span.outcome, result.span.reason)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("", "the model had nothing to add"), ("\ufffd", "nothing is left of the answer (broken-letters)")],
)
async def test_an_empty_answer_has_a_reason(answer: str, reason: str) -> None:
    """Either the model ended at once, or the filters left nothing; they are named."""
    result = await Bench().complete(cursor(), answer)

    assert (None, Outcome.EMPTY, reason) == (text_of(result), result.span.outcome, result.span.reason)


async def test_a_refused_profile_is_silent() -> None:
    """The profile's own line says why."""
    bench = Bench(profile=Profile(FimOrder.PREFIX, "none", refused=True, warning="no markers"))
    result = await bench.complete(cursor())

    assert (Outcome.SILENT, "no markers", 0) == (result.span.outcome, result.span.reason, len(bench.engine.plays))


async def test_the_lines_end_as_in_the_document() -> None:
    """In a file with CRLF the suggestion has them too."""
    result = await Bench().complete(cursor("a = 1\r\ndef f():|\r\n"), "\n    x = 1\n    return x\n")

    assert "\r\n    x = 1\r\n    return x" == text_of(result)


async def test_an_accepted_suggestion_is_marked() -> None:
    """By its id; an unknown id is none of ours."""
    bench = Bench()
    result = await bench.complete(cursor(), "1")
    assert result.suggestion is not None
    bench.service.accepted(result.suggestion.id)
    bench.service.accepted("unknown")

    assert [True] == [span.accepted for span in bench.spans.recent()]


async def test_a_too_large_output_limit_is_clamped_with_one_warning() -> None:
    """Case 28: both numbers are named, once."""
    bench = Bench()
    bench.engine.n_ctx = 2048
    for name in ("x", "y"):
        await bench.complete(cursor(f"{name} = |", max_tokens=4096), "1")

    assert [1024, 1024] == [play.request.params.max_tokens for play in bench.engine.plays]
    assert 1 == len(bench.service.warnings)
    assert "4096" in bench.service.warnings[0]
    assert "2048" in bench.service.warnings[0]


@pytest.mark.parametrize(
    ("entry", "expected", "outcome"),
    [
        ("print", "int(x)", Outcome.SHOWN),
        ("print(x)", "int(x)", Outcome.SHOWN),
        ("pride", None, Outcome.SILENT),
        ("print(x, y)", None, Outcome.SILENT),
    ],
)
async def test_a_suggestion_goes_on_from_the_selected_menu_entry(
    entry: str, expected: str | None, outcome: Outcome
) -> None:
    """One that says something else is not shown, and the span tells so."""
    request = replace(cursor("y = 1\npr|"), menu=MenuEntry(entry, start=6))
    result = await Bench().complete(request, "int(x)")

    assert (expected, outcome) == (text_of(result), result.span.outcome)
    assert ("menu" in result.span.reason) is (expected is None)


async def test_no_task_is_left_behind() -> None:
    """After each way to end, and the editor's end, only the test's own task runs."""
    bench = Bench()
    await bench.complete(cursor("a = |"), "1")
    running = asyncio.create_task(bench.service.complete(cursor("b = |")))
    await bench.engine.play(1)
    await bench.complete(cursor("c = |"), "2")
    await running
    bench.service.client_gone("s1")
    for _ in range(5):
        await asyncio.sleep(0)

    assert {asyncio.current_task()} == asyncio.all_tasks()
    assert 0 == bench.clock.n_sleeping

"""Answers that serve more than the request they were asked for: the user types along, or back."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from codeassistd.completion.types import CompletionRequest, CompletionResult, Trigger
from codeassistd.engine.request import FinishReason
from codeassistd.metrics.spans import Outcome, Source
from tests.support.completing import Bench, cursor


def story(result: CompletionResult) -> tuple[str | None, Source]:
    text = result.suggestion.text if result.suggestion is not None else None
    return text, result.span.source


def newer(source: str, version: int) -> CompletionRequest:
    """A request in a later version of the document."""
    request = cursor(source)
    return replace(request, document=replace(request.document, version=version))


async def test_typing_along_a_known_answer_needs_no_engine() -> None:
    """Letter by letter, each reply is what is left of it."""
    bench = Bench()
    assert ("price + tax", Source.ENGINE) == story(await bench.complete(cursor("x = |"), " price + tax"))
    assert ("rice + tax", Source.LIVE) == story(await bench.complete(cursor("x = p|")))
    assert ("e + tax", Source.LIVE) == story(await bench.complete(cursor("x = pric|")))
    assert 1 == len(bench.engine.plays)


async def test_typing_back_finds_what_was_there() -> None:
    """Within the answer, and after a letter that contradicted it."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price + tax")
    await bench.complete(cursor("x = pri|"))
    assert ("rice + tax", Source.LIVE) == story(await bench.complete(cursor("x = p|")))
    assert ("z", Source.ENGINE) == story(await bench.complete(cursor("x = py|"), "z"))
    assert ("rice + tax", Source.CACHE) == story(await bench.complete(cursor("x = p|")))
    assert ("price + tax", Source.CACHE) == story(await bench.complete(cursor("x = |")))
    assert 2 == len(bench.engine.plays)


async def test_a_running_answer_goes_on_and_serves_the_newest_request() -> None:
    """The older request is answered at once, with nothing; the newer one needs no new work."""
    bench = Bench()
    older = asyncio.create_task(bench.service.complete(newer("x = |", 1)))
    play = await bench.engine.play(0)
    play.say(" pri")
    await bench.clock.advance(0.0)
    later = asyncio.create_task(bench.service.complete(newer("x = pr|", 2)))
    await bench.clock.advance(0.0)
    assert Outcome.SUPERSEDED == (await older).span.outcome
    play.say("ce", "\n")

    assert ("ice", Source.LIVE) == story(await later)
    assert (1, 1) == (len(bench.engine.plays), play.n_cancelled)


async def test_typing_ahead_of_a_running_answer_waits_for_it() -> None:
    """What it has so far does not contradict what was typed; once it does, it is aborted and asked anew."""
    bench = Bench()
    first = asyncio.create_task(bench.service.complete(newer("x = |", 1)))
    play = await bench.engine.play(0)
    play.say(" p")
    ahead = asyncio.create_task(bench.service.complete(newer("x = pri|", 2)))
    await first
    play.say("r")
    await bench.clock.advance(0.0)
    assert (1, 0, False) == (len(bench.engine.plays), play.n_cancelled, ahead.done())
    bench.engine.answers.append("nt()")
    play.say("oduct")

    assert ("nt()", Source.ENGINE) == story(await ahead)
    assert 1 == play.n_cancelled


async def test_a_change_that_contradicts_aborts_before_anybody_asks() -> None:
    """The document's newer version is enough; the request that it leaves alone is answered with nothing."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(newer("x = |", 1)))
    play = await bench.engine.play(0)
    play.say(" pri")
    await bench.clock.advance(0.0)
    bench.service.document_changed("s1", newer("x = p|", 2).document)
    assert (0, False) == (play.n_cancelled, running.done())
    bench.service.document_changed("s1", newer("x = pa|", 3).document)
    assert 1 == play.n_cancelled
    assert (None, Outcome.SUPERSEDED) == (story(await running)[0], (await running).span.outcome)


async def test_a_request_that_is_taken_back_while_the_user_types_along_is_not_for_nothing() -> None:
    """VS Code takes a request back, and then sends the next one: the answer goes on for it."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(newer("x = |", 1)))
    play = await bench.engine.play(0)
    play.say(" pri")
    await bench.clock.advance(0.0)
    bench.service.document_changed("s1", newer("x = p|", 2).document)
    running.cancel()
    await bench.clock.advance(0.1)
    assert 0 == play.n_cancelled
    later = asyncio.create_task(bench.service.complete(newer("x = p|", 2)))
    await bench.clock.advance(1.0)
    assert 0 == play.n_cancelled
    play.say("ce")
    play.end()

    assert ("rice", Source.LIVE) == story(await later)


async def test_what_nobody_asks_for_any_more_is_aborted_soon() -> None:
    """The user stopped after a letter, and the editor never asked again."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(newer("x = |", 1)))
    play = await bench.engine.play(0)
    play.say(" pri")
    await bench.clock.advance(0.0)
    bench.service.document_changed("s1", newer("x = p|", 2).document)
    running.cancel()
    await bench.clock.advance(0.5)

    assert 1 == play.n_cancelled


@pytest.mark.parametrize(
    "other",
    ["x = |\n", "# a\nx = |", "x = |\n# b"],
)
async def test_another_text_is_another_question(other: str) -> None:
    """Nothing of the old answer is shown there."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    assert ("tax", Source.ENGINE) == story(await bench.complete(cursor(other), " tax"))


async def test_another_place_of_the_same_document_is_another_question() -> None:
    """Though its text is the same."""
    bench = Bench()
    await bench.complete(cursor("x = |\nx = "), " price")
    assert ("tax", Source.ENGINE) == story(await bench.complete(cursor("x = \nx = |"), " tax"))


async def test_an_answer_that_was_cut_off_is_not_used_again() -> None:
    """The deadline ended it: whoever asks again wants the whole."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    (await bench.engine.play(0)).say(" pri")
    await bench.clock.advance(2.0)
    assert ("pri", Source.ENGINE) == story(await running)
    assert ("ice + tax", Source.ENGINE) == story(await bench.complete(cursor("x = pr|"), "ice + tax"))


@pytest.mark.parametrize("reason", [FinishReason.ERROR, FinishReason.ABORTED])
async def test_an_answer_that_failed_is_not_used_again(reason: FinishReason) -> None:
    """Neither at hand nor kept."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    play.say(" pri")
    play.end(reason, "broken")
    assert Outcome.ERROR == (await running).span.outcome
    assert ("price", Source.ENGINE) == story(await bench.complete(cursor("x = |"), " price"))


async def test_what_is_left_is_made_to_fit_what_stands_there_now() -> None:
    """The editor has closed the bracket that was typed: it is not suggested once more."""
    bench = Bench()
    assert "(dx, dy)" == story(await bench.complete(cursor("area = hypot|"), "(dx, dy)"))[0]
    assert ("dx, dy", Source.LIVE) == story(await bench.complete(cursor("area = hypot(|)")))


async def test_a_changed_file_that_was_quoted_ends_the_answer() -> None:
    """A version of the quoted file that the answer does not know."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    other = cursor("y = 1|", path="/home/ada/shop/other.py").document
    live = bench.service._live._shown["s1", cursor().document.uri]
    live.sources = replace(live.sources, stamps=((other.path, None),))  # type: ignore[arg-type]
    assert ("rice", Source.LIVE) == story(await bench.complete(cursor("x = p|")))
    bench.service.document_changed("s1", other)
    assert not bench.service._live._shown


async def test_settings_that_change_ask_anew() -> None:
    """A shorter answer may be wanted."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    assert ("tax", Source.ENGINE) == story(await bench.complete(cursor("x = |", max_lines=1), " tax"))


async def test_the_span_tells_what_was_saved() -> None:
    """The time that the engine had spent on the answer; the log adds it up, and counts where suggestions came from."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    play.say(" pri")
    await bench.clock.advance(0.2)
    play.end()
    await running
    await bench.clock.advance(5.0)
    result = await bench.complete(cursor("x = p|"))

    assert (200.0, 0.0) == (result.span.saved_ms, result.span.total_ms)
    assert 200.0 == bench.spans.saved_ms
    assert {Source.ENGINE: 1, Source.LIVE: 1} == bench.spans.sources


async def test_asking_by_hand_takes_what_is_at_hand() -> None:
    """There is nothing better to be had."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    assert ("price", Source.LIVE) == story(await bench.complete(cursor("x = |", trigger=Trigger.INVOKED)))


async def test_a_closed_document_leaves_nothing() -> None:
    """Opened again, it is asked anew."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    bench.service.document_closed("s1", cursor().document.uri)
    assert ("tax", Source.ENGINE) == story(await bench.complete(cursor("x = |"), " tax"))


async def test_where_nothing_is_suggested_nothing_goes_on() -> None:
    """The user has gone into the middle of a word."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |\nword")))
    play = await bench.engine.play(0)
    await bench.complete(cursor("x = \nwo|rd"))
    await running

    assert 1 == play.n_cancelled


async def test_editors_do_not_share_what_is_running() -> None:
    """One may leave while the other waits."""
    bench = Bench()
    ours = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    theirs = asyncio.create_task(bench.service.complete(cursor("x = |", client="s2")))
    other = await bench.engine.play(1)
    bench.service.client_gone("s1")
    await ours
    other.say(" price")
    other.end()

    assert ("price", Source.ENGINE) == story(await theirs)
    assert (1, 0) == (play.n_cancelled, other.n_cancelled)

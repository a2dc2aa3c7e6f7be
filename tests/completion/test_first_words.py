"""The first words of a line that takes long: shown where they can stand alone, while the rest of it goes on."""

from __future__ import annotations

import asyncio

import pytest

from codeassistd.completion.first_words import first_words
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place
from codeassistd.completion.types import CompletionResult, Trigger
from codeassistd.metrics.spans import Source
from codeassistd.syntax.languages import Languages
from tests.support.completing import Bench, cursor

PYTHON = Languages.default().by_id("python")


def story(result: CompletionResult) -> tuple[str | None, Source]:
    text = result.suggestion.text if result.suggestion is not None else None
    return text, result.span.source


@pytest.mark.parametrize(
    ("head", "text", "expected"),
    [
        ("x = ", "first + second * thi", "first + second"),
        ("x = ", "len(first) + len(sec", "len(first)"),
        ("x = ", "load(first, second, thi", None),
        ("load(", "first, second, thi", "first, second"),
        ("x = ", 'f"one two th', None),
        ("x = ", "(one + two) * thr", "(one + two)"),
        ("# ", "Tokens that are cou", "Tokens that are"),
        ("# ", "One is enough. Two are t", "One is enough. Two are"),
        ("    '''", "Makes vectors by o", "Makes vectors by"),
        ("", "total = first.sec", None),
        ("x = ", "first.second.thi", None),
        ("x = ", "first +", None),
        ("x = ", "", None),
        ("", "\n# Tokens that are cou", "\n# Tokens that are"),
        ("", "a = first\nb = second + thi", None),
    ],
)
def test_they_end_where_a_reader_could_stop(head: str, text: str, expected: str | None) -> None:
    """Behind a whole word of several, nothing left open that they opened; where a line is whole, lines are shown."""
    words = first_words(
        Raw(text, (), 12, "one statement", is_finished=False, is_cut_off=True),
        Place.of(head, "", PYTHON, knows_start=True),
    )
    assert expected == (None if words is None else words.text)


async def test_a_line_is_shown_whole_where_there_is_time() -> None:
    """Who rests and looks presses no key that would bring the rest."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |", deadline_ms=2000)))
    play = await bench.engine.play(0)
    play.say("first + second + ")
    await bench.clock.advance(0.9)
    assert not running.done()
    play.say("third", "\n")

    assert ("first + second + third", Source.ENGINE) == story(await running)


async def test_a_slow_line_begins_with_its_first_words_and_goes_on() -> None:
    """Who accepts them, or types along, has the rest without new work."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |", deadline_ms=2000)))
    play = await bench.engine.play(0)
    play.say("first + second")
    await bench.clock.advance(0.9)
    play.say(" + ")
    await bench.clock.advance(0.09)
    assert not running.done()
    await bench.clock.advance(0.02)
    play.say("thi")

    result = await running
    assert ("first + second", Source.ENGINE) == story(result)
    assert "one statement; its beginning, since all of it takes long" == result.span.reason
    assert 0 == play.n_cancelled
    play.say("rd", "\n")
    await bench.clock.advance(0.1)
    assert (" + third", Source.LIVE) == story(await bench.complete(cursor("x = first + second|")))
    assert 1 == len(bench.engine.plays)


async def test_who_asks_by_hand_gets_the_whole_line() -> None:
    """There is no next key that would bring the rest."""
    bench = Bench()
    request = cursor("x = |", trigger=Trigger.INVOKED, deadline_ms=2000)
    running = asyncio.create_task(bench.service.complete(request))
    play = await bench.engine.play(0)
    play.say("first + second + thi")
    await bench.clock.advance(1.1)
    play.say("rd")
    await bench.clock.advance(0.1)
    assert not running.done()
    play.say("\n")

    assert ("first + second + third", Source.ENGINE) == story(await running)


async def test_what_is_no_sentence_of_the_language_is_not_shown() -> None:
    """A head without its colon is half of one."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = []\n|", deadline_ms=2000)))
    play = await bench.engine.play(0)
    play.say("for first in second")
    await bench.clock.advance(1.1)
    play.say(" or thi")
    await bench.clock.advance(0.1)
    assert not running.done()
    play.say("rd:", "\n")

    assert ("for first in second or third:", Source.ENGINE) == story(await running)


async def test_who_types_along_has_waited_since_the_first_key() -> None:
    """An answer that was asked for a while ago does not have to be waited for once more."""
    bench = Bench()
    older = asyncio.create_task(bench.service.complete(cursor("x = |", deadline_ms=2000)))
    play = await bench.engine.play(0)
    play.say("first + second")
    await bench.clock.advance(0.6)
    newer = asyncio.create_task(bench.service.complete(cursor("x = f|", deadline_ms=2000)))
    await bench.clock.advance(0.5)
    play.say(" + thi")

    assert (None, Source.ENGINE) == story(await older)
    assert ("irst + second", Source.LIVE) == story(await newer)

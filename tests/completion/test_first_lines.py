"""The first lines of an answer of several: shown where the rest takes too long, while the rest goes on."""

from __future__ import annotations

import asyncio

import pytest

from codeassistd.completion.first_lines import first_lines
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place
from codeassistd.completion.types import CompletionResult
from codeassistd.metrics.spans import Source
from codeassistd.syntax.languages import Languages
from tests.support.completing import Bench, cursor

PYTHON = Languages.default().by_id("python")


def story(result: CompletionResult) -> tuple[str | None, Source]:
    text = result.suggestion.text if result.suggestion is not None else None
    return text, result.span.source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n    a = 1\n    b", "\n    a = 1"),
        ("\n    a = 1\n    b = 2\n", "\n    a = 1\n    b = 2"),
        ("\n    a = 1", None),
        ("\n    a = f(\n        b", None),
        ("\n    if a:\n        b", None),
        ("\n    ", None),
        ("\n    # why\n    a", "\n    # why"),
    ],
)
def test_lines_must_stand_well_alone(text: str, expected: str | None) -> None:
    """Whole ones, with nothing left open."""
    place = Place.of("def f():", "", PYTHON, knows_start=True)
    lines = first_lines(Raw(text, (), 12, "a block", is_finished=False, is_cut_off=True), place)
    assert expected == (None if lines is None else lines.text)


async def test_a_quick_answer_is_shown_whole() -> None:
    """The user does not see it grow."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("def f(a):|")))
    play = await bench.engine.play(0)
    play.say("\n    b = a\n", "    c")
    await bench.clock.advance(0.1)
    assert not running.done()
    play.say(" = b\n", "    return c", "\n\ndef")

    assert ("\n    b = a\n    c = b\n    return c", Source.ENGINE) == story(await running)


async def test_a_slow_one_begins_with_its_first_lines_and_goes_on() -> None:
    """Once they are accepted, the rest is there without new work."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("def f(a):|", deadline_ms=2000)))
    play = await bench.engine.play(0)
    play.say("\n    b = a\n")
    await bench.clock.advance(0.3)
    play.say("    c")

    assert ("\n    b = a", Source.ENGINE) == story(await running)
    assert 0 == play.n_cancelled
    play.say(" = b\n", "    return c", "\n\ndef")
    await bench.clock.advance(0.1)
    assert ("\n    c = b\n    return c", Source.LIVE) == story(await bench.complete(cursor("def f(a):\n    b = a|")))
    assert 1 == len(bench.engine.plays)


async def test_the_rest_does_not_go_on_for_ever() -> None:
    """Nobody has asked for it within another deadline."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("def f(a):|", deadline_ms=1000)))
    play = await bench.engine.play(0)
    play.say("\n    b = a\n    c")
    await bench.clock.advance(0.3)
    play.say(" = b")
    await running
    await bench.clock.advance(0.9)
    assert 0 == play.n_cancelled
    await bench.clock.advance(0.2)
    assert 1 == play.n_cancelled

"""A suggestion of several lines that its editor sees grow."""

from __future__ import annotations

import asyncio

from codeassistd.completion.types import CompletionResult, Suggestion
from codeassistd.metrics.spans import Outcome
from tests.support.completing import Bench, cursor

BLOCK = "def f(a):|"


class Screen:
    """What an editor shows on the way."""

    def __init__(self, bench: Bench, source: str = BLOCK, **settings: object) -> None:
        self.parts: list[Suggestion] = []
        self._bench = bench
        self.running = asyncio.create_task(bench.service.complete(cursor(source, **settings), self.parts.append))

    async def settle(self) -> list[str]:
        """The texts that were shown so far."""
        await self._bench.clock.advance(0.01)
        return [part.text for part in self.parts]

    async def result(self) -> CompletionResult:
        """The answer to the request."""
        return await self.running


async def test_each_whole_line_is_shown_with_those_before_it() -> None:
    """The answer to the request comes when all of it is there, and carries the id of its parts."""
    bench = Bench()
    screen = Screen(bench)
    play = await bench.engine.play(0)
    play.say("\n    b", " = a\n", "    c")
    assert ["\n    b = a"] == await screen.settle()
    play.say(" = b\n")
    assert ["\n    b = a", "\n    b = a\n    c = b"] == await screen.settle()
    play.say("    return c", "\n\ndef")
    result = await screen.result()

    assert result.suggestion is not None
    assert "\n    b = a\n    c = b\n    return c" == result.suggestion.text
    assert {result.suggestion.id} == {part.id for part in screen.parts}


async def test_the_first_lines_do_not_end_the_request() -> None:
    """An editor that sees them come needs no early answer; the rest comes with the same request."""
    bench = Bench()
    screen = Screen(bench, deadline_ms=2000)
    play = await bench.engine.play(0)
    play.say("\n    b = a\n")
    await bench.clock.advance(0.3)
    play.say("    c")
    await screen.settle()
    assert not screen.running.done()
    play.say(" = b\n    return c", "\n\ndef")
    result = await screen.result()

    assert result.suggestion is not None
    assert "\n    b = a\n    c = b\n    return c" == result.suggestion.text


async def test_what_does_not_fit_is_not_shown_either() -> None:
    """A part goes the way of all suggestions: here the bracket that stands below already is not doubled."""
    bench = Bench()
    screen = Screen(bench, "total = sum(|\n)\n")
    play = await bench.engine.play(0)
    play.say("\n    prices,\n)\n", "total")

    assert all(")" not in text for text in await screen.settle())
    play.end()
    await screen.result()


async def test_an_opened_block_waits_for_its_body() -> None:
    """Nothing is shown that would have to be taken back."""
    bench = Bench()
    screen = Screen(bench)
    play = await bench.engine.play(0)
    play.say("\n    b = a\n", "    if b:")
    await screen.settle()
    play.say("\n", "        return")
    assert ["\n    b = a"] == await screen.settle()
    play.say(" b\n    c")

    assert ["\n    b = a", "\n    b = a\n    if b:\n        return b"] == await screen.settle()
    play.say(" = b\n    return c", "\n\ndef")
    await screen.result()


async def test_one_line_is_shown_when_it_is_there() -> None:
    """Letters that jump at each token would only disturb."""
    bench = Bench()
    screen = Screen(bench, "total = |")
    play = await bench.engine.play(0)
    play.say("price", " * count")
    assert [] == await screen.settle()
    play.say("\n")

    assert (await screen.result()).suggestion is not None
    assert [] == screen.parts


async def test_a_part_leaves_no_trace_where_nothing_was_suggested_in_the_end() -> None:
    """The span tells of the answer: here another key overtook it."""
    bench = Bench()
    screen = Screen(bench)
    play = await bench.engine.play(0)
    play.say("\n    b = a\n    c")
    assert 1 == len(await screen.settle())
    bench.engine.answers.append("0")
    await bench.complete(cursor("def g(x):|"))
    span = (await screen.result()).span

    assert Outcome.SUPERSEDED == span.outcome
    assert span.score is None

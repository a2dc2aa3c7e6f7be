"""What follows an accepted suggestion is worked out while the user still looks at it."""

from __future__ import annotations

import asyncio

import pytest

from codeassistd.completion.follow_up import is_wanted
from codeassistd.completion.types import CompletionResult
from codeassistd.config import CompletionSettings
from codeassistd.engine.request import Priority
from codeassistd.metrics.spans import Source
from tests.support.completing import Bench, cursor

REST_S = 0.3


def story(result: CompletionResult) -> tuple[str | None, Source]:
    text = result.suggestion.text if result.suggestion is not None else None
    return text, result.span.source


async def test_it_is_asked_for_as_if_the_suggestion_were_accepted() -> None:
    """Behind all that somebody waits for, and only once the user rests."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    await bench.clock.advance(0.2)
    assert 1 == len(bench.engine.plays)
    await bench.clock.advance(REST_S)
    ahead = bench.engine.plays[1]
    assert Priority.FOLLOW_UP == ahead.request.priority
    assert ahead.prompt.endswith("x = price")


async def test_accepting_shows_it_at_once() -> None:
    """And the status tells that it was of use, and what it cost."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    await bench.clock.advance(REST_S)
    bench.engine.plays[1].say(" + tax")
    bench.engine.plays[1].end()
    await bench.clock.advance(0.0)

    assert (" + tax", Source.FOLLOW_UP) == story(await bench.complete(cursor("x = price|")))
    assert (" tax", Source.LIVE) == story(await bench.complete(cursor("x = price +|")))
    assert 2 == len(bench.engine.plays)
    count = bench.service.follow_ups
    assert (1, 1, 1, 3.0) == (count.n_begun, count.n_used, count.n_output, count.engine_ms)


async def test_accepting_before_it_is_there_waits_for_it() -> None:
    """It is not begun a second time."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    await bench.clock.advance(REST_S)
    accepted = asyncio.create_task(bench.service.complete(cursor("x = price|")))
    await bench.clock.advance(0.1)
    bench.engine.plays[1].say(" + tax", "\n")

    assert (" + tax", Source.FOLLOW_UP) == story(await accepted)
    assert 2 == len(bench.engine.plays)


@pytest.mark.parametrize("typed", ["q", "\n", "("])
async def test_whatever_else_the_user_does_ends_it(typed: str) -> None:
    """Nobody will accept that suggestion any more."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    await bench.clock.advance(REST_S)
    await bench.complete(cursor(f"x = {typed}|"), "1")
    assert 1 == bench.engine.plays[1].n_cancelled


async def test_typing_along_leaves_it_running() -> None:
    """The suggestion is still shown, and what follows it is still the same."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    await bench.clock.advance(REST_S)
    await bench.complete(cursor("x = pr|"))
    await bench.clock.advance(REST_S)
    assert (2, 0) == (len(bench.engine.plays), bench.engine.plays[1].n_cancelled)


async def test_who_types_on_does_not_rest() -> None:
    """Each key begins the wait anew: keys that come one after the other cost nothing."""
    bench = Bench()
    for n_typed in range(6):
        await bench.complete(cursor(f"x = {'price'[:n_typed]}|"), " price" if not n_typed else "")
        await bench.clock.advance(0.15)
    assert [Priority.COMPLETION] * len(bench.engine.plays) == [play.request.priority for play in bench.engine.plays]


async def test_it_stays_behind_who_waits_and_ends_with_its_editor() -> None:
    """Another document's request is not held up, and nothing goes on for nobody."""
    bench = Bench()
    await bench.complete(cursor("x = |"), " price")
    await bench.clock.advance(REST_S)
    bench.service.client_gone("s1")
    assert 1 == bench.engine.plays[1].n_cancelled


@pytest.mark.parametrize(
    ("follow_up", "eagerness", "on_battery", "expected"),
    [
        ("auto", "medium", False, True),
        ("auto", "medium", True, False),
        ("auto", "low", False, False),
        ("on", "low", True, True),
        ("off", "always", False, False),
    ],
)
def test_the_battery_and_the_dial_are_asked(
    follow_up: str,
    eagerness: str,
    on_battery: bool,  # noqa: FBT001 - a column of the table
    expected: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Who says on or off is not asked again."""
    settings = CompletionSettings.model_validate({"follow_up": follow_up, "eagerness": eagerness})
    assert expected is is_wanted(settings, on_battery=on_battery)


async def test_off_is_off() -> None:
    """Nothing is worked out."""
    bench = Bench()
    await bench.complete(cursor("x = |", follow_up="off"), " price")
    await bench.clock.advance(5.0)
    assert (1, 0) == (len(bench.engine.plays), bench.clock.n_sleeping)

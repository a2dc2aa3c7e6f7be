"""The gate at its place in the service: after the fit, before anybody sees anything."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from codeassistd.completion.types import CompletionRequest, CompletionResult, Trigger
from codeassistd.completion.weights import CONSTANTS, Weights
from codeassistd.engine.request import Token
from codeassistd.metrics.spans import Outcome, Source
from tests.support.completing import Bench, cursor


async def doubtful(request: CompletionRequest) -> CompletionResult:
    """The result where the model is not sure of its second token."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(request))
    play = await bench.engine.play(0)
    assert play.generation is not None
    play.generation.deliver(Token(0, "a", -0.3, 3.0))
    play.generation.deliver(Token(1, "ardvark_of_the_zoo", -2.5, 0.6))
    play.end()
    return await running


async def test_a_doubtful_answer_is_kept_back_and_explained() -> None:
    """The span has the score, what it was made of, and a sentence that names both numbers and the dial."""
    result = await doubtful(cursor("x = |"))
    span = result.span

    assert (None, Outcome.SILENT) == (result.suggestion, span.outcome)
    assert span.score is not None
    assert f"not sure enough: {span.score:.2f}, and 0.15 is asked for (completion.eagerness is medium)" == span.reason
    assert ("statement", -2.5, 0.6, 19) == tuple(
        span.evidence[name] for name in ("situation", "min_logprob", "min_margin", "n_letters")
    )


async def test_the_dial_and_the_hand_let_it_through() -> None:
    """The user's two ways to see it all the same."""
    eager = await doubtful(cursor("x = |", eagerness="always"))
    by_hand = await doubtful(cursor("x = |", eagerness="low", trigger=Trigger.INVOKED))

    assert ["aardvark_of_the_zoo"] * 2 == [one.suggestion and one.suggestion.text for one in (eager, by_hand)]


async def test_the_weights_of_the_user_are_in_force() -> None:
    """What was learned judges, not the constants."""
    generous = Weights((CONSTANTS.values[0] + 20.0, *CONSTANTS.values[1:]))
    result = await doubtful(replace(cursor("x = |"), weights=generous))

    assert Outcome.SHOWN is result.span.outcome


async def test_an_answer_that_nothing_can_save_is_not_written_to_its_end() -> None:
    """The model doubts its first words too much: the engine is free again, and the next key asks it anew."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    assert play.generation is not None
    play.generation.deliver(Token(0, "aardvark", -4.0, 0.1))
    await bench.clock.advance(0.0)
    result = await running

    assert (None, Outcome.SILENT, 1) == (result.suggestion, result.span.outcome, play.n_cancelled)
    assert result.span.reason.startswith("not sure enough from the start: 0.05 at most, and 0.15 is asked for")
    assert ("a", Source.ENGINE) == _story(await bench.complete(cursor("x = a|"), "a"))


async def test_who_has_typed_along_asks_anew() -> None:
    """The answer was too doubtful for where it began; what was typed since may settle it."""
    bench = Bench()
    older = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    newer = asyncio.create_task(bench.service.complete(cursor("x = aard|")))
    await older
    bench.engine.answers.append("vark")
    assert play.generation is not None
    play.generation.deliver(Token(0, "aardvark", -4.0, 0.1))

    assert ("vark", Source.ENGINE) == _story(await newer)
    assert (2, None) == (len(bench.engine.plays), (await older).span.score)


async def test_tokens_that_come_at_once_are_judged_one_by_one() -> None:
    """What is said does not depend on how fast they are read."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    assert play.generation is not None
    play.generation.deliver(Token(0, "aardvark", -4.0, 0.1))
    play.generation.deliver(Token(1, "ish", -7.0, 0.1))
    play.end()

    assert 8 == (await running).span.evidence["n_letters"]


async def test_who_wants_to_see_it_all_the_same_gets_it_whole() -> None:
    """By hand, or with the dial at its end."""
    for request in (cursor("x = |", trigger=Trigger.INVOKED), cursor("x = |", eagerness="always")):
        bench = Bench()
        running = asyncio.create_task(bench.service.complete(request))
        play = await bench.engine.play(0)
        assert play.generation is not None
        play.generation.deliver(Token(0, "aardvark", -4.0, 0.1))
        await bench.clock.advance(0.0)
        assert not running.done()
        play.say("(zoo)")
        play.end()
        assert ("aardvark(zoo)", Source.ENGINE) == _story(await running)


async def test_a_beginning_that_may_still_turn_out_well_goes_on() -> None:
    """One doubt at the start of an answer that is certain from there on."""
    bench = Bench()
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    play = await bench.engine.play(0)
    assert play.generation is not None
    play.generation.deliver(Token(0, "self", -1.2, 1.0))
    await bench.clock.advance(0.0)
    assert not running.done()
    play.say("._stock", ".take", "()")
    play.end()
    assert ("self._stock.take()", Source.ENGINE) == _story(await running)


def _story(result: CompletionResult) -> tuple[str | None, Source]:
    return None if result.suggestion is None else result.suggestion.text, result.span.source

"""A key that comes while an answer is made to fit is heard before the answer goes out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from codeassistd.completion.postprocess import FitStep
from codeassistd.completion.stories import Stories
from codeassistd.completion.types import CompletionRequest, CompletionResult
from codeassistd.metrics.spans import Outcome
from tests.support.completing import Bench, cursor


class Interruption(Stories):
    """Has something happen as soon as the loop comes to it, once the first answer was made to fit."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._waiting = [happens]

    def fitted(self, span_id: str, request: CompletionRequest, raw: str, steps: tuple[FitStep, ...]) -> None:
        super().fitted(span_id, request, raw, steps)
        while self._waiting:
            asyncio.get_running_loop().call_soon(self._waiting.pop())


def outcome(result: CompletionResult) -> tuple[Outcome, str | None]:
    return result.span.outcome, result.suggestion.text if result.suggestion is not None else None


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("x = 4|", (Outcome.SHOWN, "41")),
        ("x = 5|", (Outcome.SUPERSEDED, None)),
        ("x = |\ny = 1", (Outcome.SUPERSEDED, None)),
    ],
)
async def test_what_a_change_contradicts_does_not_go_out(typed: str, expected: tuple[Outcome, str | None]) -> None:
    """What is typed along leaves it right, for the client takes off what was typed; all else does not."""
    bench = Bench()
    newer = replace(cursor(typed).document, version=2)
    bench.service.stories = Interruption(lambda: bench.service.document_changed("s1", newer))
    result = await bench.complete(cursor("x = |"), "41\n")

    assert expected == outcome(result)


async def test_the_newest_request_wins_until_the_last_moment() -> None:
    """The older one ends with nothing, and the newer one gets the answer."""
    bench = Bench()
    newer: list[asyncio.Task[CompletionResult]] = []

    def ask_anew() -> None:
        newer.append(asyncio.create_task(bench.service.complete(cursor("x = 4|"))))

    bench.service.stories = Interruption(ask_anew)
    older = await bench.complete(cursor("x = |"), "41\n")
    assert (Outcome.SUPERSEDED, None) == outcome(older)
    assert (Outcome.SHOWN, "1") == outcome(await newer[0])


async def test_a_request_that_is_taken_back_at_the_last_moment_is_not_counted_as_shown() -> None:
    """Its editor hears that it was cancelled."""
    bench = Bench()
    bench.engine.answers.append("41\n")
    running = asyncio.create_task(bench.service.complete(cursor("x = |")))
    bench.service.stories = Interruption(running.cancel)
    with pytest.raises(asyncio.CancelledError):
        await running

    span = bench.spans.last()
    assert span is not None
    assert Outcome.CANCELLED == span.outcome

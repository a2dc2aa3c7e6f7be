"""One request from the cursor to the one answer: rules, prompt, engine, early stop, fit, span.

Runs on the loop's thread. The newest request of a document wins; whatever ends a request early (a newer one, a cancel,
the editor's end, the deadline) aborts its sequence in the engine. Each request ends in one result and one span.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from typing import Any

from codeassistd.catalogue.profile import Profile
from codeassistd.clock import Clock
from codeassistd.completion.answer import Answer
from codeassistd.completion.asking import Asked, Asking
from codeassistd.completion.cursor import Cursor
from codeassistd.completion.offer import offer
from codeassistd.completion.policy import Silence, shape_at, silence_at, silence_of
from codeassistd.completion.supersede import Turn, Turns
from codeassistd.completion.types import CompletionRequest, CompletionResult, Suggestion
from codeassistd.context.builder import ContextBuilder
from codeassistd.engine.backend import Vocabulary
from codeassistd.engine.engine import Engine
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import Ending
from codeassistd.errors import CodeassistdError
from codeassistd.metrics.spans import Outcome, Span, SpanLog
from codeassistd.syntax.languages import Languages

__all__ = ["CompletionService"]

_log = logging.getLogger(__name__)

_WHY_LOST = {
    Outcome.SUPERSEDED: "a newer request of this document took over",
    Outcome.CANCELLED: "the editor is gone",
}


class CompletionService:
    """Answers completion requests; one for all editors."""

    def __init__(
        self,
        engine: Engine,
        builder: ContextBuilder,
        spans: SpanLog,
        profile_of: Callable[[Vocabulary], Profile],
        clock: Clock,
        *,
        languages: Languages | None = None,
    ) -> None:
        self._asking = Asking(engine, builder, profile_of, clock)
        self._spans = spans
        self._clock = clock
        self._languages = languages or Languages.default()
        self._turns = Turns()
        self._prewarms: dict[tuple[str, str], Generation] = {}
        self._asked: set[tuple[str, str]] = set()

    async def complete(self, request: CompletionRequest) -> CompletionResult:
        """The suggestion for a cursor, or none and the reason in the span; raises nothing but CancelledError."""
        started_s = self._clock.monotonic_s()
        span = Span(id=uuid.uuid4().hex, trigger=request.trigger.value, language=request.document.language)
        turn = self._turns.begin(request.client, request.document.uri)
        self._end_prewarm(request.client, request.document.uri)
        self._asked.add((request.client, request.document.uri))
        # What stands here if the request is cancelled on its way.
        result: Suggestion | Silence = Silence(Outcome.CANCELLED, "the editor took the request back")
        try:
            result = await self._suggest(request, turn, span, started_s)
        except CodeassistdError as error:
            result = Silence(Outcome.ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - the one guard of a request: the editor must get an answer
            result = Silence(Outcome.ERROR, f"internal error: {type(error).__name__}: {error}")
            _log.error("completion failed", exc_info=error)
        finally:
            self._turns.end(turn)
            if isinstance(result, Silence):
                span.outcome, span.reason = result.outcome, result.reason
            span.total_ms = self._since_ms(started_s)
            self._spans.add(span)
        return CompletionResult(None if isinstance(result, Silence) else result, span)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each setting that could not be followed as given."""
        return self._asking.warnings

    def has_asked(self, client: str, uri: str) -> bool:
        """Whether an editor has asked for a completion in a document since it connected."""
        return (client, uri) in self._asked

    def prewarm(self, request: CompletionRequest) -> None:
        """Have a prompt read that is likely to be asked for soon; returns at once and shows nothing.

        Nobody waits for it: it is read behind all completions, and a request or another pre-warm of the same document
        ends it. What it read by then stays cached, so that a request that begins alike goes on from there.
        """
        self._end_prewarm(request.client, request.document.uri)
        model = silence_of(request) or self._asking.model()
        if isinstance(model, Silence):
            return
        try:
            self._read(request, self._asking.prompt(request, model))
        except CodeassistdError as error:
            _log.debug("not pre-warmed: %s", error)

    def accepted(self, suggestion_id: str) -> None:
        """The user took a suggestion; an id that is no longer kept is none of ours any more."""
        span = self._spans.find(suggestion_id)
        if span is not None:
            span.accepted = True

    def client_gone(self, client: str) -> None:
        """An editor's connection has ended: end its requests."""
        self._turns.drop_client(client)
        self._asked = {key for key in self._asked if key[0] != client}
        for key in [key for key in self._prewarms if key[0] == client]:
            self._end_prewarm(*key)

    def _read(self, request: CompletionRequest, asked: Asked) -> None:
        """Have a prompt read into the cache, behind all completions."""
        self._end_prewarm(request.client, request.document.uri)
        self._prewarms[request.client, request.document.uri] = self._asking.read(asked, request.client)

    def _end_prewarm(self, client: str, uri: str) -> None:
        prewarm = self._prewarms.pop((client, uri), None)
        if prewarm is not None:
            prewarm.cancel()

    async def _suggest(
        self, request: CompletionRequest, turn: Turn, span: Span, started_s: float
    ) -> Suggestion | Silence:
        """The whole walk."""
        model = silence_of(request) or self._asking.model()
        if isinstance(model, Silence):
            return model
        cursor = Cursor.of(request, self._languages)
        silence = silence_at(cursor.place, request.trigger)
        if silence is not None:
            # The cursor rests here, and the next letter may be where something is suggested.
            self.prewarm(request)
            return silence
        asked = self._asking.prompt(request, model)
        span.context_ms, span.parts = asked.build_ms, asked.part_sizes
        span.n_prompt, span.is_measured = len(asked.prompt.ids), False
        shape = shape_at(cursor.place, request.settings)
        generation = self._asking.answer(asked, request.client)
        answer = Answer(generation, cursor.place, shape, self._clock)
        left_s = request.settings.deadline_ms / 1000 - (self._clock.monotonic_s() - started_s)
        try:
            lost = await self._race(answer, generation, turn, left_s)
        finally:
            _note_figures(span, answer, generation.ending)
        if answer.first_token_s is not None:
            span.ttft_ms = (answer.first_token_s - started_s) * 1000
        if lost is not None:
            return Silence(lost, _WHY_LOST[lost])
        if not answer.is_over and answer.first_token_s is None:
            # Too late for this key, but the next one will most likely ask for a prompt that begins alike.
            self._read(request, asked)
        if answer.fault:
            return Silence(Outcome.ERROR, answer.fault)
        return offer(request, cursor, answer.so_far(asked.prompt.left_out), span)

    async def _race(self, answer: Answer, generation: Generation, turn: Turn, left_s: float) -> Outcome | None:
        """Wait for the answer, the deadline or the loss of the turn; what is not finished is aborted.

        Returns:
            The outcome of a lost turn; None if what is there may be shown.
        """
        loop = asyncio.get_running_loop()
        collecting = loop.create_task(answer.collect())
        deadline = loop.create_task(self._clock.sleep(max(0.0, left_s)))
        try:
            racers: set[asyncio.Future[Any]] = {collecting, deadline, turn.lost}
            await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            deadline.cancel()
            if not collecting.done():
                generation.cancel()
                collecting.cancel()
        if turn.lost.done():
            return turn.lost.result()
        if collecting.done():
            # A fault in the rules must not pass for an empty answer.
            collecting.result()
        return None

    def _since_ms(self, begun_s: float) -> float:
        return (self._clock.monotonic_s() - begun_s) * 1000


def _note_figures(span: Span, answer: Answer, ending: Ending | None) -> None:
    """What the engine says the request cost; where it was aborted before it could say, what was received."""
    if ending is None:
        span.n_output = len(answer.tokens)
        return
    span.is_measured = True
    span.queue_ms, span.prefill_ms = ending.queue_ms, ending.prefill_ms
    span.n_prompt, span.n_cached, span.n_output = ending.n_prompt, ending.n_cached, ending.n_output
    span.n_drafted = sum(count.n_drafted for count in ending.drafts)
    span.n_accepted = sum(count.n_accepted for count in ending.drafts)

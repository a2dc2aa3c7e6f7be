"""One request from the cursor to the one answer: rules, prompt, engine, early stop, fit, span.

Runs on the loop's thread. The newest request of a document wins; whatever ends a request early (a newer one, a cancel,
the editor's end, the deadline) aborts its sequence in the engine. Each request ends in one result and one span.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codeassistd.catalogue.profile import Profile
from codeassistd.clock import Clock
from codeassistd.completion.answer import Answer
from codeassistd.completion.place import Place
from codeassistd.completion.policy import Silence, output_limit, shape_at, silence_at, silence_in_menu, silence_of
from codeassistd.completion.postprocess import Fit, FitInput, fit
from codeassistd.completion.stops import Shape
from codeassistd.completion.supersede import Turn, Turns
from codeassistd.completion.types import CompletionRequest, CompletionResult, Suggestion
from codeassistd.config import CompletionSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.reading import SteadySpeed, default_cold_ms, readable_tokens
from codeassistd.context.types import ContextRequest, Prompt
from codeassistd.context.window import Window, look
from codeassistd.engine.backend import Vocabulary
from codeassistd.engine.engine import Engine
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import Ending, EngineState, GenerateRequest, Priority, SamplingParams
from codeassistd.errors import CodeassistdError
from codeassistd.metrics.spans import Outcome, PartSize, Span, SpanLog
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["CompletionService"]

_log = logging.getLogger(__name__)

#: Bytes of whole lines that the rules and filters see on each side of the cursor.
_FIT_BYTES = 12_288
_WHY_LOST = {
    Outcome.SUPERSEDED: "a newer request of this document took over",
    Outcome.CANCELLED: "the editor is gone",
}
_WHY_NO_MODEL = {
    EngineState.EMPTY: "no model is set; choose one with `codeassistd model use`",
    EngineState.FAILED: "the model could not be loaded: {detail}",
    EngineState.STOPPED: "the engine is stopped",
}


class CompletionService:
    """Answers completion requests; one for all editors.

    Attributes:
        warnings: one line for each setting that could not be followed as given.
    """

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
        self._engine = engine
        self._builder = builder
        self._spans = spans
        self._profile_of = profile_of
        self._clock = clock
        self._languages = languages or Languages.default()
        self._turns = Turns()
        self._prewarms: dict[tuple[str, str], Generation] = {}
        self._asked: set[tuple[str, str]] = set()
        self._speed = SteadySpeed()
        self.warnings: tuple[str, ...] = ()

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

    def has_asked(self, client: str, uri: str) -> bool:
        """Whether an editor has asked for a completion in a document since it connected."""
        return (client, uri) in self._asked

    def prewarm(self, request: CompletionRequest) -> None:
        """Have a prompt read that is likely to be asked for soon; returns at once and shows nothing.

        Nobody waits for it: it is read behind all completions, and a request or another pre-warm of the same document
        ends it. What it read by then stays cached, so that a request that begins alike goes on from there.
        """
        self._end_prewarm(request.client, request.document.uri)
        model = silence_of(request) or self._model()
        if isinstance(model, Silence):
            return
        try:
            prompt, _ = self._prompt(request, model, Span(id="", trigger="", language=request.document.language))
            self._read(request, prompt)
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

    def _read(self, request: CompletionRequest, prompt: Prompt) -> None:
        """Have `prompt` read into the cache, behind all completions."""
        self._end_prewarm(request.client, request.document.uri)
        self._prewarms[request.client, request.document.uri] = self._engine.submit(
            GenerateRequest(prompt.ids, SamplingParams(max_tokens=0), Priority.PREWARM, request.client)
        )

    def _end_prewarm(self, client: str, uri: str) -> None:
        prewarm = self._prewarms.pop((client, uri), None)
        if prewarm is not None:
            prewarm.cancel()

    async def _suggest(
        self, request: CompletionRequest, turn: Turn, span: Span, started_s: float
    ) -> Suggestion | Silence:
        """The whole walk."""
        model = silence_of(request) or self._model()
        if isinstance(model, Silence):
            return model
        cursor = _Cursor.of(request, self._languages)
        silence = silence_at(cursor.place, request.trigger)
        if silence is not None:
            # The cursor rests here, and the next letter may be where something is suggested.
            self.prewarm(request)
            return silence
        prompt, n_output = self._prompt(request, model, span)
        span.n_prompt, span.is_measured = len(prompt.ids), False
        shape = shape_at(cursor.place, request.settings)
        generation = self._engine.submit(
            GenerateRequest(
                prompt.ids, SamplingParams(max_tokens=n_output), client=request.client, draft_sources=prompt.beside
            )
        )
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
            self._read(request, prompt)
        if answer.fault:
            return Silence(Outcome.ERROR, answer.fault)
        return _suggestion(request, answer, fit(cursor.fit_input(prompt, answer, shape)), shape, span)

    def _model(self) -> _Model | Silence:
        """What can answer now, or why nothing can."""
        vocabulary, info, status = self._engine.vocabulary, self._engine.info, self._engine.status()
        self._engine.wake()
        if status.state in {EngineState.LOADING, EngineState.UNLOADED}:
            return Silence(Outcome.LOADING, f"the model is being loaded ({status.detail})")
        if vocabulary is None or info is None:
            return Silence(Outcome.ERROR, _WHY_NO_MODEL.get(status.state, "{detail}").format(detail=status.detail))
        profile = self._profile_of(vocabulary)
        if profile.refused:
            return Silence(Outcome.SILENT, profile.warning or "the model has no fill-in-middle markers (model.fim)")
        n_gpu_layers = int(info.effective.get("gpu_layers", 0))
        speed = self._speed.follow(status.prefill_tokens_per_s)
        return _Model(vocabulary, profile, info.n_ctx, n_gpu_layers, speed)

    def _prompt(self, request: CompletionRequest, model: _Model, span: Span) -> tuple[Prompt, int]:
        """The prompt, and how many tokens of output it leaves room for."""
        asked = request.settings.max_tokens
        n_output = output_limit(asked, model.n_ctx)
        if n_output < asked:
            self._warn(
                f"completion.max_tokens is {asked}, but the context holds {model.n_ctx} tokens: {n_output} are used; "
                "raise model.n_ctx or lower completion.max_tokens"
            )
        begun_s = self._clock.monotonic_s()
        prompt = self._builder.build(
            ContextRequest(
                document=request.document,
                offset=request.offset,
                root=request.root,
                facts=request.facts,
                settings=request.context,
                n_output=n_output,
                n_max=model.n_ctx,
                n_readable=model.readable(request.context.cold_ms),
            ),
            model.vocabulary,
            model.profile,
        )
        span.context_ms = self._since_ms(begun_s)
        sizes = Counter[str]()
        for part in prompt.parts:
            sizes[part.kind.value] += part.n_tokens
        span.parts = tuple(PartSize(name, n_tokens) for name, n_tokens in sizes.items())
        return prompt, n_output

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

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings = (*self.warnings, warning)
            _log.warning(warning)

    def _since_ms(self, begun_s: float) -> float:
        return (self._clock.monotonic_s() - begun_s) * 1000


@dataclass(frozen=True, slots=True)
class _Model:
    """What answers, and how fast it reads."""

    vocabulary: Vocabulary
    profile: Profile
    n_ctx: int
    n_gpu_layers: int
    tokens_per_s: float

    def readable(self, cold_ms: int) -> int:
        """Most tokens of a prompt that is to be read within `cold_ms` (0: what suits the device)."""
        return readable_tokens(self.tokens_per_s, cold_ms or default_cold_ms(self.n_gpu_layers))


@dataclass(frozen=True, slots=True)
class _Cursor:
    """The text round the cursor, as the rules and the filters see it."""

    window: Window
    place: Place
    newline: str

    @classmethod
    def of(cls, request: CompletionRequest, languages: Languages) -> _Cursor:
        text = request.document.text
        window = look(text, request.offset, _FIT_BYTES)
        language = languages.by_id(request.document.language)
        place = Place.of(window.prefix, window.suffix, language, knows_start=window.starts_file)
        return cls(window, place, _newline_at(text, window.line))

    def fit_input(self, prompt: Prompt, answer: Answer, shape: Shape) -> FitInput:
        return FitInput(
            prefix=self.window.prefix,
            raw=answer.raw,
            suffix=self.window.suffix,
            language=self.place.language,
            max_lines=shape.max_lines,
            newline=self.newline,
            left_out=prompt.left_out,
            is_finished=answer.is_finished,
            knows_start=self.window.starts_file,
        )


def _suggestion(
    request: CompletionRequest, answer: Answer, fitted: Fit, shape: Shape, span: Span
) -> Suggestion | Silence:
    """What is shown of an answer that was made to fit."""
    span.filters = fitted.filters
    if fitted.text is None:
        return _why_nothing(answer, fitted, request.settings)
    silence = silence_in_menu(request, fitted.text)
    if silence is not None:
        return silence
    span.outcome, span.reason = Outcome.SHOWN, shape.why
    return Suggestion(span.id, fitted.text)


def _why_nothing(answer: Answer, fitted: Fit, settings: CompletionSettings) -> Silence:
    if not answer.is_over:
        return Silence(
            Outcome.DEADLINE, f"nothing fit to show within {settings.deadline_ms} ms (completion.deadline_ms)"
        )
    if answer.raw.strip():
        return Silence(Outcome.EMPTY, f"nothing is left of the answer ({', '.join(fitted.filters)})")
    return Silence(Outcome.EMPTY, "the model had nothing to add")


def _note_figures(span: Span, answer: Answer, ending: Ending | None) -> None:
    """What the engine says the request cost; where it was aborted before it could say, what was received."""
    if ending is None:
        span.n_output = answer.n_tokens
        return
    span.is_measured = True
    span.queue_ms, span.prefill_ms = ending.queue_ms, ending.prefill_ms
    span.n_prompt, span.n_cached, span.n_output = ending.n_prompt, ending.n_cached, ending.n_output
    span.n_drafted = sum(count.n_drafted for count in ending.drafts)
    span.n_accepted = sum(count.n_accepted for count in ending.drafts)


def _newline_at(text: Text, line: int) -> str:
    """How the document ends its lines: the cursor's line, or the one above if that is the last."""
    if line == text.line_count - 1:
        line -= 1
    end = text.content[text.line_end(line) : text.line_start(line + 1)] if line >= 0 else b""
    return end.decode() or "\n"

"""One request from the cursor to the one answer: rules, what is at hand, the engine, fit, span.

Runs on the loop's thread. The newest request of a document wins, and each request ends in one result and one span. An
answer belongs to a text: while the user types along it goes on and serves the newest request, and as soon as they part
(another letter, a cancel, the editor's end, the deadline) it is aborted in the engine.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import replace

from codeassistd.catalogue.profile import Profile
from codeassistd.clock import Clock
from codeassistd.completion.accepted import AcceptedTexts
from codeassistd.completion.answer import Answer
from codeassistd.completion.answer_cache import AnswerCache, Question, text_before
from codeassistd.completion.asking import Asked, Asking, Model
from codeassistd.completion.base import Base
from codeassistd.completion.cursor import Cursor
from codeassistd.completion.early_part import early_part
from codeassistd.completion.follow_up import FollowUpCount, FollowUps, is_wanted
from codeassistd.completion.growth import Growth, ShowPart
from codeassistd.completion.live import LiveAnswer, LiveAnswers, note_ending
from codeassistd.completion.offer import Raw, doubt, offer
from codeassistd.completion.pause import FirstTokens, Rhythms, pause_s
from codeassistd.completion.policy import Silence, shape_at, silence_at, silence_of
from codeassistd.completion.prewarms import Prewarms
from codeassistd.completion.semantic.scene import Scene
from codeassistd.completion.semantic_cache import SemanticCache
from codeassistd.completion.sources import Sources
from codeassistd.completion.stories import Stories
from codeassistd.completion.supersede import Turns
from codeassistd.completion.types import CompletionRequest, CompletionResult, Suggestion, Trigger
from codeassistd.completion.walk import SUPERSEDED, Walk
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.documents.document import Document
from codeassistd.engine.backend import Vocabulary
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import Priority
from codeassistd.errors import CodeassistdError
from codeassistd.metrics.spans import Outcome, Source, Span, SpanLog
from codeassistd.syntax.languages import Languages

__all__ = ["CompletionService"]

_log = logging.getLogger(__name__)


class CompletionService:
    """Answers completion requests; one for all editors.

    Attributes:
        follow_ups: what was worked out ahead of the user.
        semantic: answers to nearly the same question.
        stories: the texts behind the newest spans.
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
        on_battery: Callable[[], bool] = lambda: False,
        semantic: SemanticCache | None = None,
    ) -> None:
        self._asking = Asking(engine, builder, profile_of, clock)
        self._spans = spans
        self._clock = clock
        self._languages = languages or Languages.default()
        self._on_battery = on_battery
        self._turns = Turns()
        self._walks: dict[tuple[str, str], Walk] = {}
        self._prewarms = Prewarms(self._asking)
        self._live = LiveAnswers(clock, self._ended)
        self._cache = AnswerCache()
        self._accepted = AcceptedTexts()
        self._ahead = FollowUps(clock, self._work_ahead)
        self._rhythms = Rhythms()
        self._first_tokens = FirstTokens()
        self._asked: set[tuple[str, str]] = set()
        self.follow_ups = FollowUpCount()
        self.stories = Stories()
        self.semantic = semantic or SemanticCache.switched_off(clock)

    async def complete(self, request: CompletionRequest, show_part: ShowPart | None = None) -> CompletionResult:
        """The suggestion for a cursor, or none and the reason in the span; raises nothing but CancelledError.

        One of several lines is given to `show_part`, if there is one, line by line while it is written.
        """
        begun_s = self._clock.monotonic_s() if request.arrived_s is None else request.arrived_s
        span = Span(uuid.uuid4().hex, request.trigger.value, request.document.language, at_s=self._clock.wall_s())
        walk = Walk(request, self._turns.begin(request.client, request.document.uri), span, begun_s)
        walk.growth = None if show_part is None else Growth(show_part)
        self._begin(walk)
        # What stands here if the request is cancelled on its way.
        result: Suggestion | Silence = Silence(Outcome.CANCELLED, "the editor took the request back")
        try:
            result = await walk.last_look(await self._suggest(walk))
        except CodeassistdError as error:
            result = Silence(Outcome.ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - the one guard of a request: the editor must get an answer
            result = Silence(Outcome.ERROR, f"internal error: {type(error).__name__}: {error}")
            _log.error("completion failed", exc_info=error)
        finally:
            self._end(walk, result)
        return CompletionResult(None if isinstance(result, Silence) else result, span)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each setting that could not be followed as given."""
        return self._asking.warnings

    def reading(self, settings: ContextSettings) -> dict[str, dict[str, int]]:
        """How long prompts may take to read, as asked for and as in force."""
        return self._asking.reading(settings)

    def has_asked(self, client: str, uri: str) -> bool:
        """Whether an editor has asked for a completion in a document since it connected."""
        return (client, uri) in self._asked

    def prewarm(self, request: CompletionRequest) -> None:
        """Have a prompt read that is likely to be asked for soon; returns at once and shows nothing.

        Nobody waits for it: it is read behind all completions, and a request or another pre-warm of the same document
        ends it. What it read by then stays cached, so that a request that begins alike goes on from there.
        """
        self._prewarms.end(request.client, request.document.uri)
        model = silence_of(request) or self._asking.model()
        if isinstance(model, Silence):
            return
        try:
            self._prewarms.read(request.client, request.document.uri, self._asking.prompt(request, model))
        except CodeassistdError as error:
            _log.debug("not pre-warmed: %s", error)

    def accepted(self, suggestion_id: str) -> None:
        """The user took a suggestion; an id that is no longer kept is none of ours any more."""
        self._accepted.accepted(suggestion_id)
        self._spans.accepted(suggestion_id)

    def document_changed(self, client: str, document: Document) -> None:
        """A document has a newer version: what it contradicts is aborted before anybody asks again."""
        self._live.document_changed(client, document)

    def document_closed(self, client: str, uri: str) -> None:
        """A document is closed: nothing that was made from it is used again."""
        self._ahead.end(client, uri)
        self._live.forget(client, uri)
        self._prewarms.end(client, uri)
        self._asking.forget(client, uri)
        self._cache.forget_document(uri)
        self._rhythms.forget((client, uri))

    def forget_answers(self) -> None:
        """Use no answer again that was given so far; what is being generated ends, and is asked for anew."""
        self._live.forget_all()
        self._cache.clear()

    def client_gone(self, client: str) -> None:
        """An editor's connection has ended: end its requests."""
        self._turns.drop_client(client)
        self._ahead.drop_client(client)
        self._live.drop_client(client)
        self._prewarms.drop_client(client)
        self._accepted.drop_client(client)
        self.stories.drop_client(client)
        self._asked = {key for key in self._asked if key[0] != client}
        self._rhythms.drop_client(client)

    def _begin(self, walk: Walk) -> None:
        """The user has done something in this document."""
        self._ahead.end(*walk.key)
        self._prewarms.end(*walk.key)
        self._accepted.follow(walk.request)
        self._asked.add(walk.key)
        older = self._walks.get(walk.key)
        self._walks[walk.key] = walk
        if walk.request.trigger is Trigger.AUTOMATIC:
            self._rhythms.pressed(walk.key, walk.begun_s)
            if older is not None:
                self._rhythms.ended(walk.key, is_overtaken=not older.is_reading)

    def _end(self, walk: Walk, result: Suggestion | Silence) -> None:
        self._turns.end(walk.turn)
        span = walk.span
        if isinstance(result, Silence):
            span.outcome, span.reason = result.outcome, result.reason
        if span.outcome is Outcome.CANCELLED and walk.live is not None:
            self._live.leave(walk.live, walk.request)
        span.total_ms = self._since_ms(walk.begun_s)
        self._spans.add(span)
        if self._walks.get(walk.key) is walk:
            del self._walks[walk.key]
            # A prompt that is still being read is not for nothing: the next request goes on from there.
            is_overtaken = span.outcome is Outcome.CANCELLED and not walk.is_reading
            self._rhythms.ended(walk.key, is_overtaken=is_overtaken)

    async def _suggest(self, walk: Walk) -> Suggestion | Silence:
        """The whole walk."""
        request = walk.request
        model = silence_of(request) or self._asking.model()
        if isinstance(model, Silence):
            self._live.forget(*walk.key)
            return model
        live = self._live.match(request, model.identity)
        cursor = Cursor.of(request, self._languages)
        silence = silence_at(cursor.place, request.trigger, request.moment)
        if silence is not None:
            self._live.forget(*walk.key)
            # The cursor rests here, and the next letter may be where something is suggested.
            self.prewarm(request)
            return silence
        if live is not None:
            self._reuse(walk, live)
            result = await self._follow(walk, live, cursor)
            if result is not None:
                return result
            self._rhythms.ended(walk.key, is_overtaken=True)
        return await self._ask(walk, cursor, model)

    def _reuse(self, walk: Walk, live: LiveAnswer) -> None:
        """An answer that is at hand serves this request too."""
        span = walk.span
        span.source, span.saved_ms = live.source, live.spent_ms(walk.begun_s)
        if live.source is Source.FOLLOW_UP:
            self.follow_ups.n_used += 1
        live.source = Source.LIVE

    async def _ask(self, walk: Walk, cursor: Cursor, model: Model) -> Suggestion | Silence:
        """The answer where none is at hand: a kept one, or the engine's."""
        request, span = walk.request, walk.span
        asked = self._asking.prompt(request, model)
        span.context_ms, span.parts = asked.build_ms, asked.part_sizes
        self.stories.asked(span.id, request, asked.prompt.parts)
        live = self._live_answer(request, cursor, model, asked)
        if live.kept is not None:
            span.source, span.saved_ms = Source.CACHE, live.cost_ms
        else:
            proposal = await self.semantic.find(live.scene)
            if request.trigger is Trigger.AUTOMATIC and not cursor.place.is_blank_before:
                await self._pause(walk, pause_s(self._rhythms.of(walk.key), self._first_tokens.usual_s))
            if walk.lost is not None:
                return walk.lost
            span.n_prompt, span.is_measured, span.source = len(asked.prompt.ids), False, Source.ENGINE
            live.answer = self._answer(live, request.client, cursor, Priority.COMPLETION, proposal)
            live.answer.doubts = lambda raw: self._doubt(walk, raw, cursor)
            live.span = span
        self._live.take(request.client, live)
        return await self._follow(walk, live, cursor) or SUPERSEDED

    async def _pause(self, walk: Walk, seconds: float) -> None:
        """Wait whether another key comes before the engine is troubled."""
        if not seconds:
            return
        begun_s = self._clock.monotonic_s()
        try:
            await walk.wait(seconds, self._clock)
        finally:
            walk.span.pause_ms = self._since_ms(begun_s)

    async def _follow(self, walk: Walk, live: LiveAnswer, cursor: Cursor) -> Suggestion | Silence | None:
        """What `live` gives for this request, once it is there; None if the two have parted."""
        try:
            result = await walk.follow(live, self._clock, lambda raw: self._early(walk, live, raw, cursor))
        except Exception:
            self._live.drop(live)
            raise
        finally:
            walk.note_tokens(live)
        if result is None:
            # A newer version of the document has dropped it, and will be asked for.
            is_stale = live.is_dropped
            self._live.remove(live)
            return SUPERSEDED if is_stale else None
        if isinstance(result, Suggestion):
            self._live.keep(live, walk.request.settings.deadline_ms / 1000)
            return result
        if isinstance(result, Silence):
            if live.doubt is not None:
                self._live.remove(live)
            return result
        if result.is_cut_off:
            is_reading = live.is_reading
            self._live.remove(live)
            if is_reading:
                # Too late for this key, but the next one will most likely ask for a prompt that begins alike.
                self._prewarms.read(*walk.key, live.asked)
        if live.answer is not None and live.answer.fault:
            self._live.remove(live)
            return Silence(Outcome.ERROR, live.answer.fault)
        offered = self._offer(walk, result, cursor)
        if isinstance(offered, Suggestion) and is_wanted(walk.request.settings, on_battery=self._on_battery()):
            self._ahead.plan(walk.request, offered.text, self._rhythms.of(walk.key).interval_s)
        return offered

    def _early(self, walk: Walk, live: LiveAnswer, raw: Raw, cursor: Cursor) -> Suggestion | None:
        """A part of the answer, if the user has waited for long and does not see it come."""
        if walk.growth is not None:
            walk.growth.grow(walk.request, cursor, raw, walk.span)
            return None
        waited = walk.waited(live, self._clock.monotonic_s())
        part = early_part(raw, cursor.place, walk.request.trigger, waited)
        if part is None or part.text == walk.tried:
            return None
        walk.tried = part.text
        offered = self._offer(walk, part, cursor)
        return offered if isinstance(offered, Suggestion) else None

    def _doubt(self, walk: Walk, raw: Raw, cursor: Cursor) -> Silence | None:
        """Why nothing that begins like this will be shown; None where something may be."""
        # A request that has ended keeps its span as it is.
        span = walk.span if self._walks.get(walk.key) is walk else replace(walk.span)
        return doubt(walk.request, cursor, raw, span, self.stories)

    def _offer(self, walk: Walk, raw: Raw, cursor: Cursor) -> Suggestion | Silence:
        """The one place where a text is shown, wherever it came from."""
        request = walk.request
        offered = offer(request, cursor, raw, walk.span, self.stories)
        if isinstance(offered, Silence):
            return offered
        if request.trigger is Trigger.AUTOMATIC and self._accepted.refuses(request, offered.text):
            return Silence(Outcome.SILENT, "it was accepted here before, and deleted")
        self._accepted.shown(request, offered)
        return offered

    def _work_ahead(self, request: CompletionRequest) -> None:
        """Have the answer generated that `request` will ask for, if it will be made."""
        model = silence_of(request) or self._asking.model()
        if isinstance(model, Silence) or self._live.follows(request.client, Base(request.document, request.offset)):
            return
        cursor = Cursor.of(request, self._languages)
        if silence_at(cursor.place, Trigger.AUTOMATIC) is not None:
            return
        live = self._live_answer(request, cursor, model, self._asking.prompt(request, model))
        if live.kept is None:
            live.source = Source.FOLLOW_UP
            live.answer = self._answer(live, request.client, cursor, Priority.FOLLOW_UP)
            self.follow_ups.n_begun += 1
        self._live.take_next(request.client, live)

    def _live_answer(self, request: CompletionRequest, cursor: Cursor, model: Model, asked: Asked) -> LiveAnswer:
        """The place of an answer, with what is kept of it if there is one."""
        question = Question.of(request, model, asked, cursor.window.suffix)
        before = text_before(asked.prompt)
        found = self._cache.find(question, before, shape_at(cursor.place, request.settings, cursor.site))
        return LiveAnswer(
            base=Base(request.document, request.offset),
            model=model.identity,
            settings=request.settings,
            context=request.context,
            asked=asked,
            sources=Sources.of(asked.prompt.parts, request.root, request.document.path),
            question=question,
            before=before,
            scene=Scene.of(request, model, asked, cursor.place),
            kept=None if found is None else found.known.after(found.typed, cursor.place),
            cost_ms=0.0 if found is None else found.cost_ms,
        )

    def _answer(
        self, live: LiveAnswer, client: str, cursor: Cursor, priority: Priority, proposal: tuple[int, ...] = ()
    ) -> Answer:
        """Have the engine generate it."""
        generation = self._asking.answer(live.asked, client, priority, proposal)
        shape = shape_at(cursor.place, live.settings, cursor.site)
        return Answer(generation, cursor.place, shape, live.asked.prompt.left_out, self._clock)

    def _ended(self, live: LiveAnswer) -> None:
        """The engine has let go of an answer: it is kept if it is whole, and what it cost is noted."""
        answer = live.answer
        if answer is None:
            return
        cost_ms = live.spent_ms(self._clock.monotonic_s())
        if answer.is_whole and not answer.fault and live.question is not None:
            self._cache.put(live.question, live.before, answer.known, cost_ms)
            self.semantic.put(live.scene, answer.wanted_ids)
        if live.span is not None and answer.first_token_s is not None:
            self._first_tokens.note(answer.first_token_s - answer.begun_s)
        if answer.ending is None:
            return
        if live.span is None:
            self.follow_ups.n_output += answer.ending.n_output
            self.follow_ups.engine_ms += answer.ending.total_ms - answer.ending.queue_ms
        else:
            live.span.proposal_ms = self.semantic.judge(answer.ending, self._asking.speeds())
            note_ending(live.span, answer.ending)
            self._spans.measured(live.span)

    def _since_ms(self, begun_s: float) -> float:
        return (self._clock.monotonic_s() - begun_s) * 1000

"""The answers that are at hand without the prompt: known or still being generated, for the text they go on from.

For each document of each editor there is one that its user sees or waits for, and perhaps one that follows once that is
accepted. A newer request takes the answer over while the typed text agrees with it; as soon as the two part, it is
aborted. Used on the loop's thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from codeassistd.clock import Clock
from codeassistd.completion.answer import Answer
from codeassistd.completion.answer_cache import Question
from codeassistd.completion.asking import Asked
from codeassistd.completion.base import Base
from codeassistd.completion.known import Known
from codeassistd.completion.offer import Raw
from codeassistd.completion.policy import Silence
from codeassistd.completion.semantic.scene import Scene
from codeassistd.completion.sources import Sources
from codeassistd.completion.types import CompletionRequest
from codeassistd.config import CompletionSettings, ContextSettings
from codeassistd.documents.document import Document
from codeassistd.engine.request import PROPOSAL, Ending
from codeassistd.metrics.reading import DraftSum
from codeassistd.metrics.spans import Source, Span

__all__ = ["LiveAnswer", "LiveAnswers", "note_ending"]

_log = logging.getLogger(__name__)

#: Editors take a request back a moment before they send the next one.
_GRACE_S = 0.3
#: What an editor may put behind the cursor by itself.
_BEHIND = " \t\r\n)]}>\"'`"


@dataclass(slots=True, eq=False)
class LiveAnswer:
    """One answer and what it holds for.

    Attributes:
        base: the text that it goes on from.
        model: identity of the model that gives it.
        asked: its prompt.
        sources: files that the prompt quotes.
        question, before: how it is kept once it is whole; None and nothing if it is already.
        scene: what similar places are found by; None where nothing is carried over.
        source: what it is to the next request that it serves.
        answer: where it comes from; None if it was known when it was taken.
        kept: what is known, if nothing more comes from the engine.
        cost_ms: what the engine took for what is kept.
        span: of the request that it was generated for; None if nobody has asked for it.
        newest: version of the document that was last seen to agree with it.
        is_dropped: whether the typed text has left it.
        reading: reads the answer; None if it was known.
        leaving: drops it after a while, if nobody takes it over.
    """

    base: Base
    model: str
    settings: CompletionSettings
    context: ContextSettings
    asked: Asked
    sources: Sources
    question: Question | None = None
    before: str = ""
    scene: Scene | None = None
    source: Source = Source.LIVE
    answer: Answer | None = None
    kept: Known | None = None
    cost_ms: float = 0.0
    span: Span | None = None
    newest: int = 0
    is_dropped: bool = False
    reading: asyncio.Task[None] | None = None
    leaving: asyncio.Task[None] | None = None

    @property
    def known(self) -> Known:
        """What is there so far."""
        if self.kept is not None:
            return self.kept
        assert self.answer is not None  # noqa: S101 - one of the two is there
        return self.answer.known

    @property
    def doubt(self) -> Silence | None:
        """Why it was given up; None if it was not."""
        return None if self.answer is None else self.answer.doubt

    @property
    def is_running(self) -> bool:
        """Whether more may come."""
        return self.answer is not None and not self.answer.is_over

    @property
    def is_reading(self) -> bool:
        """Whether the engine has not come to its first token yet."""
        return self.is_running and self.answer is not None and self.answer.first_token_s is None

    @property
    def news(self) -> asyncio.Future[None]:
        """Done as soon as more is known; only while it is running."""
        assert self.answer is not None  # noqa: S101 - what is running comes from somewhere
        return self.answer.news

    def check(self) -> None:
        """Raise what went wrong while it was read: a fault in the rules must not pass for an empty answer."""
        if self.reading is not None and self.reading.done() and not self.reading.cancelled():
            self.reading.result()

    def spent_ms(self, now_s: float) -> float:
        """What the engine has spent on it by now."""
        if self.answer is None:
            return self.cost_ms
        until_s = now_s if self.answer.over_s is None else self.answer.over_s
        return 1000 * (until_s - self.answer.begun_s)

    def rest(self, request: CompletionRequest) -> Raw | None:
        """What is left of it at the cursor of `request`; None if it does not go on from there, or at all."""
        if self.doubt is not None:
            return None
        typed = self.base.typed(request.document, request.offset)
        return None if typed is None else self.known.rest(typed)

    def serves(self, request: CompletionRequest, model: str) -> bool:
        """Whether it may answer `request`, so far as the typed text goes."""
        return (
            self.model == model
            and self.settings == request.settings
            and self.context == request.context
            and self.rest(request) is not None
            and self.sources.are_current
        )

    def agrees(self, document: Document) -> bool:
        """Whether a newer version of the document may have been typed along with it, wherever its cursor is."""
        between = self.base.between(document)
        if between is None:
            return document.text.content == self.base.document.text.content
        known = self.known
        return not between or any(known.rest(typed) is not None for typed in (between, between.rstrip(_BEHIND)))


class LiveAnswers:
    """All of them, by editor and document."""

    def __init__(self, clock: Clock, on_end: Callable[[LiveAnswer], None]) -> None:
        """Call `on_end` when the engine has let go of an answer, whether it is whole or was aborted."""
        self._clock = clock
        self._on_end = on_end
        self._shown: dict[tuple[str, str], LiveAnswer] = {}
        self._next: dict[tuple[str, str], LiveAnswer] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, client: str, live: LiveAnswer) -> None:
        """Put `live` in place of the answer that is there."""
        key = (client, live.base.document.uri)
        older = self._shown.get(key)
        if older is not None:
            self.drop(older)
        self._shown[key] = live
        self._run(live)

    def take_next(self, client: str, live: LiveAnswer) -> None:
        """Put `live` beside the answer that is there, as what follows it."""
        key = (client, live.base.document.uri)
        self._drop_from(self._next, key)
        self._next[key] = live
        self._run(live)

    def match(self, request: CompletionRequest, model: str) -> LiveAnswer | None:
        """The answer that goes on from the cursor of `request`; what does not is dropped."""
        key = (request.client, request.document.uri)
        shown = self._shown.get(key)
        if shown is not None and shown.serves(request, model):
            self._stay(shown)
            return shown
        self._drop_from(self._shown, key)
        follower = self._next.pop(key, None)
        if follower is None:
            return None
        if follower.serves(request, model):
            self._shown[key] = follower
            return follower
        self.drop(follower)
        return None

    def follows(self, client: str, base: Base) -> bool:
        """Whether what follows at `base` is at hand or being worked on."""
        follower = self._next.get((client, base.document.uri))
        return follower is not None and follower.base.typed(base.document, base.offset) == ""

    def document_changed(self, client: str, document: Document) -> None:
        """A newer version of a document: answers that it contradicts, or that quote it, are dropped at once."""
        key = (client, document.uri)
        shown, follower = self._shown.get(key), self._next.get(key)
        if shown is not None and shown.agrees(document):
            shown.newest = document.version
        elif follower is not None and follower.agrees(document):
            # The suggestion was accepted.
            pass
        else:
            self.forget(client, document.uri)
        for table in (self._shown, self._next):
            for other, live in tuple(table.items()):
                if document.path is not None and document.path in live.sources:
                    self._drop_from(table, other)

    def leave(self, live: LiveAnswer, request: CompletionRequest) -> None:
        """Nobody waits for `live` any more: go on only if its user is typing along."""
        if not live.is_running:
            return
        if live.newest > request.document.version:
            self.keep(live, _GRACE_S)
        else:
            self.remove(live)

    def keep(self, live: LiveAnswer, seconds: float) -> None:
        """Let `live` go on for so long, unless a request takes it over before."""
        self._stay(live)
        live.leaving = self._spawn(self._let_go(live, seconds))

    def drop(self, live: LiveAnswer) -> None:
        """Abort `live`; once is enough."""
        self._stay(live)
        if live.is_dropped:
            return
        live.is_dropped = True
        if live.answer is not None and live.answer.ending is None:
            live.answer.cancel()

    def remove(self, live: LiveAnswer) -> None:
        """Abort `live` and serve nobody with it."""
        for table in (self._shown, self._next):
            for key in [key for key, one in table.items() if one is live]:
                del table[key]
        self.drop(live)

    def forget(self, client: str, uri: str) -> None:
        """Abort all that belongs to a document."""
        for table in (self._shown, self._next):
            self._drop_from(table, (client, uri))

    def forget_all(self) -> None:
        """Abort all that there is."""
        for key in {*self._shown, *self._next}:
            self.forget(*key)

    def drop_client(self, client: str) -> None:
        """The editor is gone."""
        for key in {*self._shown, *self._next}:
            if key[0] == client:
                self.forget(*key)

    def _drop_from(self, table: dict[tuple[str, str], LiveAnswer], key: tuple[str, str]) -> None:
        live = table.pop(key, None)
        if live is not None:
            self.drop(live)

    def _stay(self, live: LiveAnswer) -> None:
        if live.leaving is not None:
            live.leaving.cancel()
            live.leaving = None

    async def _let_go(self, live: LiveAnswer, seconds: float) -> None:
        await self._clock.sleep(seconds)
        live.leaving = None
        if live.is_running:
            self.remove(live)

    def _run(self, live: LiveAnswer) -> None:
        if live.answer is not None:
            live.reading = self._spawn(self._collect(live, live.answer))

    async def _collect(self, live: LiveAnswer, answer: Answer) -> None:
        try:
            await answer.collect()
        finally:
            self._stay(live)
            self._on_end(live)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("an answer could not be read", exc_info=error)


def note_ending(span: Span, ending: Ending) -> None:
    """Tell a span what the engine says the request cost."""
    span.queue_ms, span.prefill_ms = ending.queue_ms, ending.prefill_ms
    span.cached_from = ending.cached_from
    span.drafts = tuple(DraftSum(one.drafter, one.n_drafted, one.n_accepted) for one in ending.drafts)
    if ending.n_output > 1:
        span.tpot_ms = (ending.total_ms - ending.ttft_ms) / (ending.n_output - 1)
    span.n_prompt, span.n_cached, span.n_output = ending.n_prompt, ending.n_cached, ending.n_output
    span.n_drafted = sum(count.n_drafted for count in ending.drafts)
    span.n_accepted = sum(count.n_accepted for count in ending.drafts)
    span.n_proposed = sum(count.n_drafted for count in ending.drafts if count.drafter == PROPOSAL)
    span.n_confirmed = sum(count.n_accepted for count in ending.drafts if count.drafter == PROPOSAL)

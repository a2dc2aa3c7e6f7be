"""Answers questions about the code, turn by turn, at a cost that does not grow with the conversation.

Runs on the loop's thread; what blocks (files, git, the index, the template) runs on a thread of its own, and so does
the disk. Each question ends in one reply or one error. It is on its way to the disk before it goes to the engine, and
what was said in answer follows every few seconds, so that a daemon that is killed loses no more than that. An answer
that is taken back is kept as far as it was said.

After an answer the conversation looks ahead: a window that is nearly full has its oldest turns summarised by the model
behind all other work, and the new beginning of the prompt is read before anybody asks again. A question never waits for
that: where it needs the room first, the extract speaks for those turns.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from codeassistd.chat.archive import Archive
from codeassistd.chat.clients import is_of, is_of_workspace
from codeassistd.chat.conversation import Conversation, ConversationKey, Listed
from codeassistd.chat.desk import Desk
from codeassistd.chat.minutes import minutes_from, minutes_request, written_minutes
from codeassistd.chat.model import LoadedModel, Models
from codeassistd.chat.open_chat import OpenChat
from codeassistd.chat.prepare import Prepared, prefix_of, prepare, turns_to_summarise
from codeassistd.chat.reply import Reply
from codeassistd.chat.request import ChatReply, ChatRequest, Ended
from codeassistd.chat.turn import Turn
from codeassistd.clock import Clock
from codeassistd.config import ChatSettings
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.errors import CodeassistdError, EngineError, NotReadyError, UsageError
from codeassistd.index.types import IndexLookup
from codeassistd.metrics.spans import Outcome, PartSize, Source, Span, SpanLog

__all__ = ["ChatService", "Show"]

Show = Callable[[str], None]
"""Told what was said, piece by piece, on the loop's thread."""

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")

#: Conversations that are kept in memory; older ones are read from the disk again.
_MAX_OPEN = 32
_UNREAD = "what was said in it before could not be read; see `codeassistd logs`"
_NOTHING_SAID = "the model said nothing; ask in other words"
_TOP_P = 0.95
#: A turn is written in milliseconds, as a rule.
_DISK_S = 1.0
#: Between two writings of an answer that goes on: what of it is lost at most if the daemon is killed.
_KEEP_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class _Question:
    """A question on its way, with all that belongs to it."""

    request: ChatRequest
    chat: OpenChat
    model: LoadedModel
    prepared: Prepared


class ChatService:
    """All conversations of one daemon."""

    def __init__(
        self,
        engine: Engine,
        *,
        lookup: IndexLookup,
        archive: Archive,
        spans: SpanLog,
        clock: Clock,
        is_ignored: Callable[[Path, Path | None], bool],
    ) -> None:
        self._engine = engine
        self._lookup = lookup
        self._archive = archive
        self._spans = spans
        self._clock = clock
        self._is_ignored = is_ignored
        self._models = Models(engine, clock)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="chat")
        self._open: OrderedDict[ConversationKey, OpenChat] = OrderedDict()

    async def ask(self, request: ChatRequest, show: Show) -> ChatReply:
        """Answer one question; what is said goes to `show` as it comes.

        Raises:
            UsageError: the conversation is answering already, or the question is too long.
            CodeassistdError: there is no model, or it failed.
            CancelledError: the question was taken back; what was said until then is kept.
        """
        begun_s = self._clock.monotonic_s()
        span = Span(uuid.uuid4().hex, "chat", "", Outcome.CANCELLED, at_s=self._clock.wall_s())
        try:
            reply = await self._ask(request, show, span)
        except CodeassistdError as error:
            # What the question has wrong says nothing about the engine.
            span.outcome = Outcome.REFUSED if isinstance(error, UsageError) else Outcome.ERROR
            span.reason = str(error)
            raise
        else:
            span.outcome, span.source = Outcome.SHOWN if reply.text else Outcome.EMPTY, Source.ENGINE
            return reply
        finally:
            span.total_ms = 1000 * (self._clock.monotonic_s() - begun_s)
            self._spans.add(span)

    async def conversation(self, key: ConversationKey) -> Conversation:
        """All that was said in a conversation; an empty one where there is none."""
        return (await self._opened(key)).conversation

    async def listed(self, root: str) -> list[Listed]:
        """The conversations of a workspace, the newest first."""
        return await self._archive.listed(root)

    async def delete(self, key: ConversationKey) -> bool:
        """Forget a conversation; whether there was one.

        Raises:
            UsageError: it is being answered in.
            StoreError: the disk does not let go of it.
            EngineError: nor of what was read for it.
        """
        ended = self._forget([key])
        is_gone = await self._archive.delete(key)
        await self._unread(ended, is_of(key))
        return is_gone

    async def purge(self, root: str | None) -> int:
        """Forget all conversations of a workspace, or of all; how many there were.

        Raises:
            UsageError: one of them is being answered in.
            StoreError: the disk does not let go of them.
            EngineError: nor of what was read for them.
        """
        ended = self._forget([key for key in self._open if root in {None, key.root}])
        n_gone = await self._archive.purge(root)
        await self._unread(ended, is_of_workspace(root))
        return n_gone

    def status(self, settings: ChatSettings) -> dict[str, object]:
        """How it stands, for people; `settings` are the daemon's."""
        info = self._engine.info
        n_ctx = info.n_ctx if info is not None else 0
        return {
            "asked_kv_tokens": settings.kv_tokens,
            "effective_kv_tokens": min(settings.kv_tokens or n_ctx, n_ctx),
            "template": self._models.template_state,
            "problem": self._archive.problem,
            "conversations": [chat.status() for chat in self._open.values()],
        }

    async def close(self) -> None:
        """End what runs beside the questions, and write what still waits."""
        running = [chat.upkeep for chat in self._open.values() if chat.upkeep is not None]
        for chat in self._open.values():
            chat.stop_upkeep()
        await asyncio.gather(*running, return_exceptions=True)
        self._thread.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self._archive.close)

    async def _ask(self, request: ChatRequest, show: Show, span: Span) -> ChatReply:
        if not request.text.strip():
            raise UsageError("the question is empty")
        chat = await self._opened(request.key)
        if chat.is_answering:
            # Without its name, which may be the user's own words: errors stand in spans, too.
            raise UsageError("this conversation is answering another question; wait, or cancel that")
        chat.is_answering = True
        try:
            model = await self._models.loaded(self._thread)
            chat.stop_upkeep()
            work = partial(prepare, request, chat.conversation, model.writer, model.n_ctx, self._desk_of(request))
            question = _Question(request, chat, model, await self._beside(work))
            span.parts = tuple(PartSize(part.kind.value, part.n_tokens) for part in question.prepared.parts)
            return await self._answer(question, show, span)
        finally:
            chat.is_answering = False

    def _desk_of(self, request: ChatRequest) -> Desk:
        return Desk(request.root, request.documents, self._is_ignored, self._lookup.seen_by(request.client))

    async def _answer(self, question: _Question, show: Show, span: Span) -> ChatReply:
        request, chat, prepared = question.request, question.chat, question.prepared
        if self._engine.vocabulary is not question.model.writer.tokens.vocabulary:
            raise NotReadyError("another model was loaded meanwhile; ask again")
        reply = Reply(question.model.writer.template.stop_text)
        self._put(question, _turn(question, reply, is_cut=True))
        if prepared.outputs and chat.is_kept:
            self._archive.put_outputs(chat.key, prepared.turn.number, prepared.outputs)
        try:
            ending = await self._generate(question, reply, show)
        except BaseException:
            # Taken back or failed: what was asked, and said by then, stands in the user's view.
            self._keep(question, _turn(question, reply, is_cut=True))
            raise
        await self._tried(self._keep(question, _turn(question, reply, is_cut=False)))
        chat.n_cells, chat.limits = ending.n_prompt + ending.n_output, prepared.limits
        _note(span, ending)
        self._look_ahead(question)
        return ChatReply(
            session=request.key.session,
            turn=prepared.turn.number,
            text=reply.text.strip(),
            parts=prepared.parts,
            ended=Ended.LENGTH if ending.reason is FinishReason.LENGTH else Ended.STOP,
            n_prompt=ending.n_prompt,
            n_cached=ending.n_cached,
            warnings=(*prepared.warnings, *self._warnings(question), *([] if reply.text.strip() else [_NOTHING_SAID])),
        )

    async def _generate(self, question: _Question, reply: Reply, show: Show) -> Ending:
        request, chat, prepared = question.request, question.chat, question.prepared
        params = SamplingParams(
            max_tokens=prepared.n_output,
            temperature=request.settings.temperature,
            top_p=_TOP_P if request.settings.temperature else 1.0,
            seed=prepared.turn.number,
        )
        generation = self._engine.submit(GenerateRequest(prepared.ids, params, Priority.CHAT, chat.client))
        kept_s = self._clock.monotonic_s()
        try:
            async for token in generation:
                if new := reply.take(token.id, token.text):
                    show(new)
                if reply.is_over:
                    generation.cancel()
                elif (now_s := self._clock.monotonic_s()) - kept_s >= _KEEP_EVERY_S:
                    self._put(question, _turn(question, reply, is_cut=True))
                    kept_s = now_s
        finally:
            generation.cancel()
        ending = generation.ending
        if ending is None or (ending.reason is FinishReason.ABORTED and not reply.is_over):
            raise NotReadyError("the engine was stopped")
        if ending.reason is FinishReason.ERROR:
            raise EngineError(ending.error)
        if not reply.is_over and (new := reply.finish()):
            show(new)
        return ending

    def _keep(self, question: _Question, turn: Turn) -> Future[None] | None:
        """The conversation has one more turn; what is on its way to the disk, if it is kept there."""
        question.chat.conversation = question.prepared.conversation.added(turn)
        return self._put(question, turn)

    def _put(self, question: _Question, turn: Turn) -> Future[None] | None:
        """Have the disk hold a turn as it is now; what is on its way there, if the conversation is kept."""
        if not question.chat.is_kept:
            return None
        prepared = question.prepared
        changed = {turn.number, *(old.number for old in prepared.changed)}
        return self._archive.put(prepared.conversation.added(turn), changed)

    async def _tried(self, kept: Future[None] | None) -> None:
        """Give the disk a moment, so that the answer can tell what is wrong with it; a stuck one is not waited for."""
        if kept is not None:
            await asyncio.wait([asyncio.wrap_future(kept)], timeout=_DISK_S)

    def _look_ahead(self, question: _Question) -> None:
        chat = question.chat
        chat.upkeep = asyncio.get_running_loop().create_task(self._keep_up(question))
        chat.upkeep.add_done_callback(partial(_kept_up, chat))

    async def _keep_up(self, question: _Question) -> None:
        """Summarise what should leave a nearly full window, and have the new beginning read."""
        chat, limits, writer = question.chat, question.prepared.limits, question.model.writer
        turns = await self._beside(partial(turns_to_summarise, chat.conversation, limits, writer))
        if not turns:
            return
        written = ""
        if question.request.settings.summary == "model" and limits.n_summary:
            request = await self._beside(partial(minutes_request, turns, writer, limits.n_total))
            written = "" if request is None else await written_minutes(self._engine, request)
        minutes = await self._beside(partial(minutes_from, written, turns))
        memory = await self._beside(partial(chat.conversation.memory.after, minutes, limits.n_summary, writer.count))
        # Nothing was asked meanwhile, or this task would have been stopped.
        chat.conversation = chat.conversation.remembering(memory)
        if chat.is_kept:
            self._archive.put(chat.conversation)
        await self._read_beginning(chat, question.model)

    async def _read_beginning(self, chat: OpenChat, model: LoadedModel) -> None:
        ids = await self._beside(partial(prefix_of, chat.conversation, model.writer))
        try:
            generation = self._engine.submit(
                GenerateRequest(ids, SamplingParams(max_tokens=0), Priority.BACKGROUND, chat.client)
            )
        except EngineError as error:
            _log.info("the beginning of a conversation is not read ahead: %s", error)
            return
        try:
            async for _ in generation:
                pass
        finally:
            generation.cancel()

    async def _opened(self, key: ConversationKey) -> OpenChat:
        if self._is_to_be_read(key):
            conversation = await self._archive.load(key)
            # Two may ask for it at the same time.
            if self._is_to_be_read(key):
                self._open[key] = OpenChat(conversation or Conversation(key), is_kept=conversation is not None)
        self._open.move_to_end(key)
        chat = self._open[key]
        for other in tuple(self._open.values())[: max(0, len(self._open) - _MAX_OPEN)]:
            if not other.is_answering:
                other.stop_upkeep()
                del self._open[other.key]
        return chat

    def _is_to_be_read(self, key: ConversationKey) -> bool:
        return key not in self._open or self._open[key].may_be_read_anew

    def _forget(self, keys: Sequence[ConversationKey]) -> list[asyncio.Task[None]]:
        """Know nothing of some conversations any more; what ran for them is on its way to its end."""
        known = [chat for key in keys if (chat := self._open.get(key)) is not None]
        if any(chat.is_answering for chat in known):
            raise UsageError("a conversation that is answering cannot be deleted; wait, or cancel the question")
        running = [chat.upkeep for chat in known if chat.upkeep is not None]
        for chat in known:
            chat.stop_upkeep()
            del self._open[chat.key]
        return running

    async def _unread(self, running: Sequence[asyncio.Task[None]], is_gone: Callable[[str], bool]) -> None:
        """Have the engine forget what it has read: a cached prompt is its text in other words."""
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.wrap_future(self._engine.forget(is_gone))

    def _warnings(self, question: _Question) -> list[str]:
        """What is wrong with the disk, and, with a model's first answer in a conversation, with its template."""
        problem = self._archive.problem or ("" if question.chat.is_kept else _UNREAD)
        warnings = [f"the conversation is not kept: {problem}"] if problem else []
        writer = question.model.writer
        said = (turn for turn in question.prepared.conversation.turns if not turn.is_cut)
        if writer.template.warning and writer.model_id not in {turn.model_id for turn in said}:
            warnings.append(writer.template.warning)
        return warnings

    async def _beside(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _turn(question: _Question, reply: Reply, *, is_cut: bool) -> Turn:
    """The question with what was said so far."""
    return replace(
        question.prepared.turn,
        said=reply.text.strip(),
        said_ids=() if reply.is_over else tuple(reply.ids),
        model_id=question.model.writer.model_id,
        is_cut=is_cut,
    )


def _note(span: Span, ending: Ending) -> None:
    span.queue_ms, span.prefill_ms, span.ttft_ms = ending.queue_ms, ending.prefill_ms, ending.ttft_ms
    span.n_prompt, span.n_cached, span.n_output = ending.n_prompt, ending.n_cached, ending.n_output
    if ending.n_output > 1:
        span.tpot_ms = (ending.total_ms - ending.ttft_ms) / (ending.n_output - 1)


def _kept_up(chat: OpenChat, task: asyncio.Task[None]) -> None:
    if chat.upkeep is task:
        chat.upkeep = None
    error = None if task.cancelled() else task.exception()
    if isinstance(error, CodeassistdError):
        # Such as a model that was unloaded; the extract speaks where the room is needed first.
        _log.info("a conversation is summarised later: %s", error)
    elif error is not None:
        _log.error("a conversation could not be summarised", exc_info=error)

"""The engine: one thread that owns the model, its cache and every generation at work.

Callers hand requests in under one lock and get streams back; the thread takes what has come between steps. Nobody else
touches the backend, but for `interrupt`. A failure in a step ends the generations that were in it and never the thread.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial

from codeassistd.clock import Clock, SystemClock
from codeassistd.engine.backend import Backend, BackendFactory, BackendInfo, Batch, Logits, Vocabulary
from codeassistd.engine.board import Board
from codeassistd.engine.generation import Generation
from codeassistd.engine.inbox import Forgetting, Inbox, carry_out_all
from codeassistd.engine.loading import Loading
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import (
    EngineState,
    EngineStatus,
    FinishReason,
    GenerateRequest,
    Priority,
    check_request,
)
from codeassistd.engine.scheduler import Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals, ending_of
from codeassistd.errors import CodeassistdError, NotReadyError

__all__ = ["Engine"]

_log = logging.getLogger(__name__)

_REPLACED = "the model was replaced by another one"


class Engine:
    """One model, many generations.

    Args:
        factory: loads the model, on a thread of its own; None starts without one.
        clock: for the times in endings.
        on_change: called on the engine's thread when the state changes (not by `stop`), when a load gets on, and after
            a failed step. It must only pass a message on.
        options: the goals that it works by.
    """

    def __init__(
        self,
        factory: BackendFactory | None,
        clock: Clock | None = None,
        on_change: Callable[[], None] | None = None,
        options: EngineOptions | None = None,
    ) -> None:
        self._options = options or EngineOptions()
        self._clock: Clock = clock or SystemClock()
        self._on_change = on_change
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        # The lock guards the inbox, `_closing`, `_arrivals` and what `cancel` must know about a step in flight.
        self._wake = threading.Condition()
        self._inbox = Inbox(factory=factory)
        self._closing = False
        self._arrivals = 0
        self._in_flight: tuple[Backend, Step] | None = None
        self._was_interrupted = False
        # Written by the engine's thread alone; the others read whole values.
        self._totals = Totals()
        self._stepper: Stepper | None = None
        self._loading: Loading | None = None
        self._factory: BackendFactory | None = None
        self._busy_s = 0.0
        self._told: tuple[object, ...] = ()
        self._board = Board(EngineState.EMPTY if factory is None else EngineState.LOADING, self._totals)

    def start(self) -> None:
        """Start the thread, which loads the model first; call once."""
        self._thread.start()

    def stop(self) -> None:
        """End every generation with `aborted`, give the model's memory back and wait for the thread; idempotent."""
        with self._wake:
            self._closing = True
            if self._in_flight is not None:
                self._in_flight[0].interrupt()
            self._wake.notify_all()
        if self._thread.ident is not None:
            self._thread.join()
        else:
            self._board.show(EngineState.STOPPED, None)

    def status(self) -> EngineStatus:
        """How it is now; from any thread."""
        return self._board.status()

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The loaded model's vocabulary."""
        stepper = self._stepper
        return None if stepper is None else stepper.vocabulary

    @property
    def info(self) -> BackendInfo | None:
        """What is loaded."""
        stepper = self._stepper
        return None if stepper is None else stepper.info

    def submit(self, request: GenerateRequest) -> Generation:
        """Queue a request; call it on a running asyncio loop, of any thread.

        Raises:
            NotReadyError: no model is loaded, with the cause.
            PromptTooLongError: the prompt leaves no room for one token of output.
            EngineError: the request makes no sense: empty prompt, unknown token ids, negative lengths.
        """
        loop = asyncio.get_running_loop()
        with self._wake:
            stepper = self._ready_stepper()
            check_request(request, stepper.info.n_ctx, stepper.info.n_vocab)
            sequence = Sequence(request, arrival=self._arrivals, submitted_s=self._clock.monotonic_s())
            generation = Generation(loop, partial(self._cancel, sequence))
            sequence.sink = generation.deliver
            self._arrivals += 1
            self._inbox.submitted.append((stepper, sequence))
            if self._in_flight is not None and self._may_overtake(request, self._in_flight[1]):
                self._in_flight[0].interrupt()
            self._wake.notify_all()
        return generation

    def reload(self, factory: BackendFactory, options: EngineOptions | None = None) -> None:
        """Load another model, to be worked with by these options if there are any; returns at once.

        The old model serves until the new one is there: both are in memory then, and where there is no room for that
        the load fails. After a failed load the old model goes on, and `status` has the cause as a warning; after a
        good one, generations of the old model end with an error. A load that is under way is given up.

        Raises:
            NotReadyError: the engine is stopped.
        """
        with self._wake:
            if self._closing:
                raise NotReadyError("the engine is stopped")
            self._inbox.factory, self._options = factory, options or self._options
            self._wake.notify_all()

    def wake(self) -> None:
        """Load the model again if it was unloaded for want of work; returns at once."""
        with self._wake:
            if self._board.state is EngineState.UNLOADED and not self._closing:
                self._inbox.factory = self._inbox.factory or self._factory
                self._wake.notify_all()

    def forget(self, is_gone: Callable[[str], bool]) -> Future[None]:
        """Let go of all that was read for the clients that `is_gone` names, in the cache, in memory and on disk.

        End what runs for them first. The future has an EngineError where a file cannot be removed.
        """
        wish = Forgetting(is_gone)
        with self._wake:
            if self._thread.is_alive() and self._board.state is not EngineState.STOPPED:
                self._inbox.forgetting.append(wish)
                self._wake.notify_all()
                return wish.done
        wish.carry_out(None, self._options.limits.folder)
        return wish.done

    def _ready_stepper(self) -> Stepper:
        state = self._board.state
        if self._closing or state is EngineState.STOPPED:
            raise NotReadyError("the engine is stopped")
        if state is EngineState.EMPTY:
            raise NotReadyError("no model is set; see `codeassistd model list`")
        if state is EngineState.FAILED:
            raise NotReadyError(f"the model could not be loaded: {self._board.detail}")
        self.wake()
        if state is EngineState.LOADING or self._stepper is None:
            raise NotReadyError("the model is being loaded")
        return self._stepper

    def _cancel(self, sequence: Sequence) -> None:
        with self._wake:
            self._inbox.cancelled.setdefault(sequence, self._clock.monotonic_s())
            if self._in_flight is not None and self._may_interrupt(self._in_flight[1]):
                self._in_flight[0].interrupt()
            self._wake.notify_all()

    def _may_interrupt(self, step: Step) -> bool:
        # A stopped step is read again for all who go on. So it is stopped only if most of it is for nothing, and
        # never twice running while anyone goes on: a stream of cancels must not starve the rest.
        n_lost = sum(piece.n_tokens for piece in step.pieces if piece.sequence in self._inbox.cancelled)
        return n_lost == step.n_tokens or (2 * n_lost >= step.n_tokens and not self._was_interrupted)

    def _may_overtake(self, request: GenerateRequest, step: Step) -> bool:
        # Somebody waits for it, and nobody for the prompts in the step: these are read again. Not twice running, so a
        # stream of key presses does not starve them.
        return request.priority == Priority.COMPLETION and step.is_quiet and not self._was_interrupted

    # --- from here on everything runs on the engine's thread ---

    def _run(self) -> None:
        while not self._closing:
            self._guarded(self._turn)
        self._guarded(self._end)

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - the one guard per step: nothing may end this thread
            self._recover(error)

    def _turn(self) -> None:
        self._tell()
        inbox = self._take_inbox()
        self._take_in(inbox)
        if inbox.factory is not None:
            self._begin_load(inbox.factory)
        if self._loading is not None and self._loading.is_over:
            self._take_over(self._loading)
        if inbox.unused is not None:
            inbox.unused.close(FinishReason.ABORTED)
        elif self._stepper is not None:
            if self._stepper.has_work:
                self._stepper.step()
                self._busy_s = self._clock.monotonic_s()
            self._publish(EngineState.READY)
            self._stepper.hand_out()
        elif self._loading is not None:
            share = self._loading.share
            self._publish(EngineState.LOADING, f"{100 * share:.0f} %", share)

    def _take_in(self, inbox: Inbox) -> None:
        """Queue who has come, and end who was cancelled."""
        for stepper, sequence in inbox.submitted:
            if stepper is self._stepper:
                stepper.scheduler.add(sequence)
            else:
                self._refuse(sequence, FinishReason.ERROR, _REPLACED)
        if self._stepper is not None:
            now_s = self._clock.monotonic_s()
            for sequence in self._stepper.cancel(inbox.cancelled):
                self._stepper.meter.cancels_ms.add(1000 * (now_s - inbox.cancelled[sequence]))
        self._forget(inbox.forgetting, self._stepper)

    def _forget(self, wishes: Iterable[Forgetting], stepper: Stepper | None) -> None:
        carry_out_all(wishes, None if stepper is None else stepper.carrier, self._options.limits.folder)

    def _take_inbox(self) -> Inbox:
        with self._wake:
            while not (self._inbox or self._closing or self._has_work or self._is_idle_out):
                self._wake.wait(self._idle_left_s)
            inbox, self._inbox = self._inbox, Inbox()
            # Under the lock, so that who submits next does not reach what is about to go, nor `wake` ask twice.
            if inbox.factory is not None and self._stepper is None:
                self._publish(EngineState.LOADING, "0 %")
            elif not inbox and self._is_idle_out:
                inbox.unused, self._stepper = self._stepper, None
                self._publish(EngineState.UNLOADED, "the next request loads the model again")
            return inbox

    @property
    def _has_work(self) -> bool:
        return self._stepper is not None and self._stepper.has_work

    @property
    def _idle_left_s(self) -> float | None:
        """Seconds until the model is unloaded if nothing comes; None if it is not."""
        if self._stepper is None or self._loading is not None or self._options.idle_unload_s <= 0:
            return None
        return self._busy_s + self._options.idle_unload_s - self._clock.monotonic_s()

    @property
    def _is_idle_out(self) -> bool:
        left_s = self._idle_left_s
        return left_s is not None and left_s <= 0 and not self._has_work

    def _begin_load(self, factory: BackendFactory) -> None:
        if self._loading is not None:
            self._loading.give_up()
        self._loading = Loading(factory, self._on_load_news, lambda: not self._closing, after=self._loading)

    def _on_load_news(self) -> None:
        """On the thread of the load."""
        with self._wake:
            self._inbox.is_load_news = True
            self._wake.notify_all()

    def _take_over(self, loading: Loading) -> None:
        """Serve with what was loaded; where that failed, go on with what there was."""
        self._loading = None
        self._busy_s = self._clock.monotonic_s()
        loaded = loading.take()
        if isinstance(loaded, Exception):
            self._miss(loaded)
            return
        # First the old model's end, since it saves states that the new one may be able to use.
        old, self._stepper = self._stepper, None
        try:
            if old is not None:
                old.close(FinishReason.ERROR, _REPLACED)
        finally:
            self._stepper = self._stepper_of(loaded)
            self._factory = loading.factory
            self._board.warning = ""
            self._publish(EngineState.READY)

    def _stepper_of(self, backend: Backend) -> Stepper:
        options = self._options
        return Stepper(
            backend,
            self._clock,
            self._totals,
            self._decode,
            step_ms=options.step_ms,
            max_draft=options.max_draft,
            limits=options.limits,
        )

    def _miss(self, error: Exception) -> None:
        """A load has failed."""
        cause = self._note(error)
        if self._stepper is None:
            self._publish(EngineState.FAILED, cause)
        else:
            self._board.warning = f"the other model could not be loaded, the old one goes on: {cause}"

    def _decode(self, backend: Backend, step: Step, batch: Batch) -> Logits | None:
        self._publish(EngineState.READY)
        with self._wake:
            is_overtaken = any(self._may_overtake(new.request, step) for _stepper, new in self._inbox.submitted)
            if self._closing or is_overtaken or (self._inbox.cancelled and self._may_interrupt(step)):
                self._was_interrupted = True
                return None
            self._in_flight = (backend, step)
        try:
            rows = backend.decode(batch)
        finally:
            with self._wake:
                self._in_flight = None
        self._was_interrupted = rows is None
        return rows

    def _recover(self, error: Exception) -> None:
        cause = self._note(error)
        if self._stepper is not None:
            self._stepper.fail(cause)
            self._publish(EngineState.READY)
            self._stepper.hand_out()
        elif self._loading is None and self._board.state in {EngineState.LOADING, EngineState.READY}:
            self._publish(EngineState.FAILED, cause)
        else:
            self._publish(self._board.state, self._board.detail)

    def _note(self, error: Exception) -> str:
        """Remember a failure, and answer its cause in one line."""
        cause = str(error)
        if not isinstance(error, CodeassistdError):
            cause = f"internal error: {type(error).__name__}: {error}"
            _log.error("engine: %s", cause, exc_info=error)
        self._board.fail(cause, self._clock.wall_s())
        return cause

    def _end(self) -> None:
        stepper, self._stepper = self._stepper, None
        if self._loading is not None:
            self._loading.give_up()
            self._loading.wait()
        left = self._inbox
        for _stepper, sequence in left.submitted:
            self._refuse(sequence, FinishReason.ABORTED)
        with self._wake:
            self._publish(EngineState.STOPPED)
        self._forget(left.forgetting, stepper)
        if stepper is not None:
            stepper.close(FinishReason.ABORTED)

    def _refuse(self, sequence: Sequence, reason: FinishReason, error: str = "") -> None:
        ending = ending_of(sequence, reason, error, self._clock.monotonic_s())
        self._totals.count(ending)
        sequence.sink(ending)

    def _publish(self, state: EngineState, detail: str = "", load_progress: float = 0.0) -> None:
        if state is EngineState.READY and self._loading is not None:
            load_progress = self._loading.share
            detail = f"another model is being loaded, {100 * load_progress:.0f} %"
        self._board.show(state, self._stepper, detail, load_progress)

    def _tell(self) -> None:
        news = self._board.news
        if news != self._told and self._on_change is not None:
            self._told = news  # before the call: a listener that fails is not called again for the same news
            try:
                self._on_change()
            except RuntimeError as error:
                _log.info("engine: nobody hears of its changes: %s", error)  # the listener's loop is closed

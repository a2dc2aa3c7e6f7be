"""One loaded backend and all it is working on: each call of `step` is one engine step. Lives on the engine's thread."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from codeassistd.clock import Clock
from codeassistd.engine.backend import Backend, Batch, Logits
from codeassistd.engine.carrier import CacheLimits, Carrier
from codeassistd.engine.draft_model import DraftModel
from codeassistd.engine.drafter import MakeDrafters
from codeassistd.engine.drafting import Drafting, added
from codeassistd.engine.lookup_drafter import lookup_only
from codeassistd.engine.meter import Meter
from codeassistd.engine.request import DraftCount, Ending, FinishReason, Token
from codeassistd.engine.sampling import Row, Sample, Sampler
from codeassistd.engine.scheduler import Piece, Scheduler, Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.slots import common_prefix
from codeassistd.errors import EngineError
from codeassistd.metrics.work import WorkCount

__all__ = ["Stepper", "Totals", "ending_of"]


@dataclass(slots=True)
class Totals:
    """What the engine has done since it was started, over all models."""

    n_prompt: int = 0
    n_cached: int = 0
    n_output: int = 0
    n_finished: int = 0
    n_aborted: int = 0
    n_failed: int = 0
    drafts: tuple[DraftCount, ...] = ()
    work: WorkCount = field(default_factory=WorkCount)

    def count(self, ending: Ending) -> None:
        """Add one ended sequence."""
        self.n_prompt += ending.n_prompt
        self.n_cached += ending.n_cached
        self.n_output += ending.n_output
        self.drafts = added(self.drafts, ending.drafts)
        if ending.reason is FinishReason.ABORTED:
            self.n_aborted += 1
        elif ending.reason is FinishReason.ERROR:
            self.n_failed += 1
        else:
            self.n_finished += 1


class Stepper:
    """Schedules, reads, chooses tokens and hands them out.

    Args:
        backend: owned from here on; `close` closes it.
        decode: runs `backend.decode` for a step, so that the engine can tell what a `decode` in flight is about.
        make_drafters: who guesses ahead for a sequence.
        limits: how much of what was read is kept beside the slots.
        step_ms: goal for the longest step beside a stream; 0 chooses by device.
        max_draft: most tokens of a sequence that one step guesses ahead.
    """

    def __init__(
        self,
        backend: Backend,
        clock: Clock,
        totals: Totals,
        decode: Callable[[Backend, Step, Batch], Logits | None],
        make_drafters: MakeDrafters = lookup_only,
        *,
        limits: CacheLimits | None = None,
        step_ms: float = 0.0,
        max_draft: int = 16,
    ) -> None:
        self.backend = backend
        self.info = backend.info
        self.vocabulary = backend.vocabulary
        self.carrier = Carrier(backend, clock, limits or CacheLimits())
        self.meter = Meter(self.info, step_ms)
        self.scheduler = Scheduler(self.carrier.slots, self.info.n_batch, self.meter.pace)
        self._sampler = Sampler(self.info.n_vocab)
        self._draft_model = None if backend.draft is None else DraftModel(backend.draft, backend, clock)
        self.drafting = Drafting(make_drafters, backend, max_draft, self._draft_model)
        self._clock = clock
        self._totals = totals
        self._decode = decode
        self._must_clear = False
        self._n_threads = self.meter.n_threads
        self._outbox: list[tuple[Sequence, Token | Ending]] = []

    @property
    def has_work(self) -> bool:
        """Whether any sequence waits or runs."""
        return self.scheduler.n_waiting + self.scheduler.n_running > 0

    def step(self) -> None:
        """Read one batch, and give each sequence that was read to its end its next token.

        Raises:
            DecodeError: the backend failed; `fail` must follow.
        """
        if self._must_clear:
            self.backend.clear()
            self._must_clear = False
        admitted = self.scheduler.admit()
        self.carrier.carry()
        for sequence in admitted:
            self._begin(sequence)
        self._guess_ahead()
        step = self.scheduler.plan()
        if not step.pieces:
            return  # all who came in were refused
        self._set_threads(self.meter.n_threads)
        begun_s = self._clock.monotonic_s()
        rows = self._decode(self.backend, step, _batch_of(step))
        if rows is None:
            return  # stopped half-way: what is left of the step is planned anew, without those that were cancelled
        took_s = self._clock.monotonic_s() - begun_s
        if len(rows) == step.n_tokens:  # not beside prompts: their tokens cost less than those that scores are made for
            self.drafting.costs.see(step.n_tokens, 1000 * took_s)
        self.carrier.cost.note_read(step.n_tokens, took_s)
        load = step.load
        self.meter.step(load, 1000 * took_s)
        self._totals.work.step(load.n_rows, load.n_read, load.row_depth, load.read_depth, took_s)
        self.scheduler.commit(step)
        self._keep_prompts(step)
        n_rows = 0
        for piece in step.pieces:
            if not piece.is_last:
                continue
            if piece.wants_logits:
                self._go_on(piece, rows[n_rows:])
                n_rows += 1 + len(piece.draft)
            else:
                self._end(piece.sequence, FinishReason.LENGTH)

    def cancel(self, sequences: Collection[Sequence]) -> tuple[Sequence, ...]:
        """End those of `sequences` that are still at work, and answer which; what was read stays cached."""
        at_work = tuple(known for known in self.scheduler if known in sequences)
        for sequence in at_work:
            self._end(sequence, FinishReason.ABORTED)
        return at_work

    def fail(self, error: str) -> None:
        """End everything that has a slot with an error, and have the cache cleared before the next step.

        Where nothing has a slot, what waits is ended: else a backend that cannot even begin would fail for ever.
        """
        everything = list(self.scheduler)
        running = [sequence for sequence in everything if sequence.slot is not None]
        for sequence in running or everything:
            self._end(sequence, FinishReason.ERROR, error)
        self.scheduler.slots.forget()
        self._must_clear = True

    def hand_out(self) -> None:
        """Give what has been made to its callers; apart from `step`, so that the engine's status is set before."""
        outbox, self._outbox = self._outbox, []
        for sequence, item in outbox:
            sequence.sink(item)

    def close(self, reason: FinishReason, error: str = "") -> None:
        """End everything and give the model's memory back."""
        for sequence in list(self.scheduler):
            self._end(sequence, reason, error)
        try:
            self.hand_out()
            self.carrier.persist()
        finally:
            self.backend.close()

    def _guess_ahead(self) -> None:
        """Give the sequences their drafts, and tell of a draft model that has just failed."""
        self.drafting.prepare(self.scheduler.running, self.scheduler.streams())
        problem = "" if self._draft_model is None else self._draft_model.problem
        if problem and problem not in self.info.warnings:
            effective = {**self.info.effective, "draft": "none"}
            self.info = replace(self.info, effective=effective, warnings=(*self.info.warnings, problem))

    def _set_threads(self, n_threads: int) -> None:
        if n_threads != self._n_threads:
            self.backend.set_threads(n_threads)
            self._n_threads = n_threads

    def _end(self, sequence: Sequence, reason: FinishReason, error: str = "") -> None:
        """Give a sequence its one ending; its slot is idle from then on."""
        self.scheduler.remove(sequence)
        self.drafting.forget(sequence)
        if sequence.chooser is not None:
            sequence.chooser.close()
            sequence.chooser = None
        ending = ending_of(sequence, reason, error, self._clock.monotonic_s())
        self._totals.count(ending)
        self._outbox.append((sequence, ending))

    def _begin(self, sequence: Sequence) -> None:
        n_kept = len(self.scheduler.slots[sequence.held_slot].tokens)
        if n_kept < sequence.n_read:
            self.scheduler.rewind(sequence, n_kept)
        if sequence.admitted_s is None:  # not when it comes back after a preemption
            sequence.admitted_s = self._clock.monotonic_s()
            sequence.n_cached = sequence.n_read
            sequence.cached_from = self.scheduler.slots[sequence.held_slot].origin if sequence.n_read else ""
            self._choose_by(sequence)

    def _choose_by(self, sequence: Sequence) -> None:
        """Get a sequence what its parameters need; one whose grammar cannot be read ends here, and no other."""
        params = sequence.request.params
        if params.is_plain:
            return
        try:
            sequence.chooser = self.backend.sampler(params)
        except EngineError as error:
            self._end(sequence, FinishReason.ERROR, str(error))

    def _keep_prompts(self, step: Step) -> None:
        """Have each prompt saved that has just been read to its end, where it could not be cut back to it later."""
        for piece in step.pieces:
            if piece.is_last and piece.sequence.n_output == 0:
                self.scheduler.slots.checkpoint(piece.slot)
        self.carrier.carry()

    def _go_on(self, piece: Piece, rows: Logits) -> None:
        """Write the token after a piece, and after each guess of its draft as long as the guesses were right.

        Each token is chosen from scores that were computed behind nothing but right tokens, with one draw from the
        sequence's own random stream: so the output is the same as without a draft.
        """
        sequence = piece.sequence
        n_known = len(sequence.tokens)
        for row, guess in zip(rows, (*piece.draft, None), strict=False):
            reason = self._advance(sequence, row)
            if reason is not None or sequence.tokens[-1] != guess:
                break
        if piece.draft:
            self._settle(piece, sequence.tokens[n_known:])
        if reason is not None:
            self._end(sequence, reason)

    def _settle(self, piece: Piece, written: list[int]) -> None:
        """Keep the guesses that came true in the cache, and take the others out."""
        sequence = piece.sequence
        n_accepted = common_prefix(list(piece.draft), written)
        self.scheduler.accept(sequence, piece.draft[:n_accepted])
        self.drafting.judge(sequence, len(piece.draft), n_accepted)
        if n_accepted < len(piece.draft):
            n_kept = self.backend.remove(piece.slot, sequence.n_read)
            if n_kept < sequence.n_read:
                self.scheduler.rewind(sequence, n_kept)

    def _advance(self, sequence: Sequence, row: Row) -> FinishReason | None:
        """Write the next token; answers why the sequence is over, if it is."""
        params = sequence.request.params
        chosen = self._chosen(sequence, row)
        if sequence.first_s is None:
            sequence.first_s = self._clock.monotonic_s()
        if chosen is None or chosen.id in sequence.request.stop_ids or self.vocabulary.is_stop(chosen.id):
            return FinishReason.STOP
        sequence.tokens.append(chosen.id)
        text = sequence.letters.feed(self.vocabulary.token_bytes(chosen.id))
        self._outbox.append((sequence, Token(chosen.id, text, chosen.logprob, chosen.margin)))
        if sequence.n_output >= params.max_tokens or len(sequence.tokens) >= self.info.n_ctx:
            return FinishReason.LENGTH
        return None

    def _chosen(self, sequence: Sequence, row: Row) -> Sample | None:
        if sequence.chooser is None:
            return self._sampler.choose(row, sequence.request.params.temperature, sequence.draws)
        token = sequence.chooser.choose(row)
        return None if token is None else self._sampler.describe(row, token)


def ending_of(sequence: Sequence, reason: FinishReason, error: str, now_s: float) -> Ending:
    """The ending of a sequence at the clock reading `now_s`; times that it never reached are 0."""
    admitted_s = now_s if sequence.admitted_s is None else sequence.admitted_s
    first_s = now_s if sequence.first_s is None else sequence.first_s
    return Ending(
        reason=reason,
        n_prompt=sequence.n_prompt,
        n_cached=sequence.n_cached,
        n_output=sequence.n_output,
        queue_ms=1000 * (admitted_s - sequence.submitted_s),
        prefill_ms=1000 * (first_s - admitted_s),
        ttft_ms=0.0 if sequence.first_s is None else 1000 * (first_s - sequence.submitted_s),
        total_ms=1000 * (now_s - sequence.submitted_s),
        error=error,
        drafts=sequence.drafts,
        cached_from=sequence.cached_from,
    )


def _batch_of(step: Step) -> Batch:
    tokens: list[int] = []
    positions: list[int] = []
    sequences: list[int] = []
    wanted: list[bool] = []
    for piece in step.pieces:
        tokens += piece.tokens
        tokens += piece.draft
        positions += range(piece.start, piece.start + piece.n_tokens)
        sequences += [piece.slot] * piece.n_tokens
        wanted += [False] * (len(piece.tokens) - 1) + [piece.wants_logits] * (1 + len(piece.draft))
    return Batch(tokens, positions, sequences, wanted)

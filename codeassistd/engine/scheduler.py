"""What each engine step reads: pure decisions, without a clock, a thread, a model or numpy.

A step has room for `n_batch` tokens. First every running sequence that only goes on by one token gets it, then those
that have a draft get as much of it as there is room for; what is left is filled with pieces of prompts, by priority and
then by arrival. While something else is running or waiting that a long step would hold up, a step reads at most
`N_BESIDE` prompt tokens.

A sequence runs while it has a slot. Those that wait get one in the same order; where none is idle, the running sequence
that is last in the order gives its slot up to one of a better priority, waits again and later goes on from its tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from codeassistd.engine.request import Priority
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.slots import Slots

__all__ = ["N_BESIDE", "Piece", "Scheduler", "Step"]

N_BESIDE = 64
"""Prompt tokens read beside a running stream, or by work that a keystroke must be able to overtake.

On a processor pieces from 32 tokens on are read at full speed, and 64 hold a stream up for about 0.15 s.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens of one sequence that a step reads.

    Attributes:
        slot: where they go.
        start: the position of the first of them.
        is_last: after these the sequence's next token is chosen.
        draft: guessed tokens, read behind `tokens` to see how many of them the model would have chosen.
    """

    sequence: Sequence
    slot: int
    start: int
    tokens: tuple[int, ...]
    is_last: bool
    draft: tuple[int, ...] = ()

    @property
    def n_tokens(self) -> int:
        """Tokens that the step reads for it."""
        return len(self.tokens) + len(self.draft)

    @property
    def wants_logits(self) -> bool:
        """Whether the scores after its last token are needed."""
        return self.is_last and self.sequence.request.params.max_tokens > 0


@dataclass(frozen=True, slots=True)
class Step:
    """What one step reads, in order."""

    pieces: tuple[Piece, ...]

    @property
    def n_tokens(self) -> int:
        """Tokens that the step reads."""
        return sum(piece.n_tokens for piece in self.pieces)


class Scheduler:
    """The sequences of one engine: those that wait and those that run."""

    def __init__(self, slots: Slots, n_batch: int) -> None:
        self._slots = slots
        self._n_batch = n_batch
        self._waiting: list[Sequence] = []
        self._running: list[Sequence] = []

    @property
    def slots(self) -> Slots:
        """The slots that it hands out."""
        return self._slots

    @property
    def n_waiting(self) -> int:
        """Sequences without a slot."""
        return len(self._waiting)

    @property
    def n_running(self) -> int:
        """Sequences with a slot."""
        return len(self._running)

    @property
    def running(self) -> tuple[Sequence, ...]:
        """Those with a slot, in the order in which they got it."""
        return tuple(self._running)

    def __iter__(self) -> Iterator[Sequence]:
        yield from self._running
        yield from self._waiting

    def add(self, sequence: Sequence) -> None:
        """Queue a new sequence."""
        self._waiting.append(sequence)

    def remove(self, sequence: Sequence) -> None:
        """Let a sequence go, ended for whatever reason; its slot is idle at once and keeps what was read."""
        if sequence.slot is None:
            self._waiting.remove(sequence)
        else:
            self._running.remove(sequence)
            self._give_slot_up(sequence)

    def admit(self) -> tuple[Sequence, ...]:
        """Hand out slots to those that wait, the first in the order first.

        Returns:
            Who got one. Their `n_read` says to how many tokens the caller must cut the slot in the backend, before
            anything else; where the backend keeps fewer, it says so by `rewind`.
        """
        admitted: list[Sequence] = []
        for sequence in sorted(self._waiting, key=lambda waiting: waiting.rank):
            if not self._slots.has_idle:
                self._preempt_for(sequence)
            slot = self._slots.take(sequence.tokens, sequence.request.client)
            if slot is None:
                break
            self._waiting.remove(sequence)
            self._running.append(sequence)
            sequence.slot = slot.index
            sequence.n_read = len(slot.tokens)
            admitted.append(sequence)
        return tuple(admitted)

    def rewind(self, sequence: Sequence, n_kept: int) -> None:
        """Record that the backend holds only the first `n_kept` tokens of a running sequence."""
        self._slots.cut(sequence.held_slot, n_kept)
        sequence.n_read = n_kept

    def plan(self) -> Step:
        """Decide what the next step reads; a plan that was not read is simply made again."""
        return Step(tuple(self._pieces()))

    def commit(self, step: Step) -> None:
        """Record that the step's pieces are in the cache, without their drafts."""
        for piece in step.pieces:
            piece.sequence.n_read += len(piece.tokens)
            self._slots.extend(piece.slot, piece.tokens)

    def accept(self, sequence: Sequence, tokens: tuple[int, ...]) -> None:
        """Record that drafted `tokens`, which are in the cache, turned out to be the sequence's own."""
        sequence.n_read += len(tokens)
        self._slots.extend(sequence.held_slot, tokens)

    def _preempt_for(self, sequence: Sequence) -> None:
        last = max(self._running, key=lambda running: running.rank)
        if last.request.priority > sequence.request.priority:
            self._running.remove(last)
            self._give_slot_up(last)
            self._waiting.append(last)

    def _give_slot_up(self, sequence: Sequence) -> None:
        self._slots.release(sequence.held_slot)
        sequence.slot = None
        sequence.n_read = 0

    def _pieces(self) -> Iterator[Piece]:
        in_order = sorted(self._running, key=lambda s: s.rank)
        decoding = [s for s in in_order if s.is_decoding][: self._n_batch]
        # By slot: the backend computes neighbouring sequences of one length together.
        decoding.sort(key=lambda s: s.held_slot)
        n_left = self._n_batch - len(decoding)
        for sequence in decoding:
            draft = sequence.draft[:n_left]
            n_left -= len(draft)
            yield replace(_piece(sequence, 1), draft=draft)
        reading = [s for s in in_order if not s.is_decoding]
        if decoding or (reading and reading[0].request.priority > Priority.COMPLETION):
            n_left = min(n_left, N_BESIDE)
        for sequence in reading:
            n_tokens = min(n_left, sequence.n_pending)
            if n_tokens == 0:
                return
            yield _piece(sequence, n_tokens)
            n_left -= n_tokens


def _piece(sequence: Sequence, n_tokens: int) -> Piece:
    start = sequence.n_read
    end = start + n_tokens
    tokens = tuple(sequence.tokens[start:end])
    return Piece(sequence, sequence.held_slot, start, tokens, end == len(sequence.tokens))

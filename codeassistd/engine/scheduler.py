"""What each engine step reads: pure decisions, without a clock, a thread, a model or numpy.

Order. A better priority goes first. Within one it is the score, in tokens: what is left to read and to write, and what
the same client has in work before it, less what grows with each step that it has been there. So short work goes before
long work, a client with little in work before one with much, and nothing waits for ever.

Slots. A sequence runs while it has a slot. Those that wait get one in the order; where none is idle, the running
sequence that is last in the order gives its slot up to one of a better priority, waits again and later goes on from its
tokens. What nobody has asked to see at once (quiet work: all after the follow-up of a completion) has at most half of
the slots, so that a key press finds one, and its warm prompt in it. A client has at most its budget of tokens in work.

Steps. The best priority that runs leads. Its streams go on by one token each and by as much of their drafts as there
is room for. The streams of chats, which somebody reads along, go on by one token whoever leads. Prompts are read
beside them in pieces that keep the step within its goal; a completion that is alone reads in longer steps. All others
stay out of the step, since on a processor whatever is added to a step makes it longer: a second row by a third, a
piece of a prompt by its whole time, as the two are computed one after the other. Where the measured cost says that a
row is free, as on a GPU, it comes along. Who has been left out of `PATIENCE` steps gets the least that there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from codeassistd.engine.pace import CHUNK_FLOOR, Load, Pace
from codeassistd.engine.request import Priority
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.slots import Slots, common_prefix

__all__ = ["PATIENCE", "Piece", "Scheduler", "Step"]

PATIENCE = 100
"""Steps that a running sequence may be left out of: some seconds, for one step that is longer than its goal."""

_WRITING_COST = 4
"""What writing a token costs, in tokens read; on a processor between 4 and 7."""

_AGEING = 32
"""Tokens by which work counts less for each step that it has been there: about what a step reads."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens of one sequence that a step reads.

    Attributes:
        slot: where they go.
        start: the position of the first of them.
        is_last: after these the sequence's next token is chosen.
        draft: guessed tokens, read behind `tokens` to see how many of them the model would have chosen; only of a last
            piece that wants logits.
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
    def is_row(self) -> bool:
        """Whether a stream goes on by it; else a prompt is read, or read again after a preemption."""
        return self.start >= self.sequence.n_prompt

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

    @property
    def load(self) -> Load:
        """What it has to do."""
        rows = [(piece.n_tokens, piece.start) for piece in self.pieces if piece.is_row]
        reads = [(piece.n_tokens, piece.start) for piece in self.pieces if not piece.is_row]
        return Load(_total(rows), _total(reads), _depth(rows), _depth(reads))

    @property
    def is_quiet(self) -> bool:
        """Whether it does nothing but read prompts that nobody has asked to see at once."""
        return all(_is_quiet(piece.sequence) and not piece.is_row for piece in self.pieces)


class Scheduler:
    """The sequences of one engine: those that wait and those that run.

    Args:
        slots: to hand out.
        n_batch: most tokens of a step.
        pace: what steps cost, as far as it is known.
        client_budget: most tokens, to read and to write, that a client's sequences of one priority and of better ones
            may have in work; one sequence always may. By default half of what the slots hold.
    """

    def __init__(self, slots: Slots, n_batch: int, pace: Pace, client_budget: int | None = None) -> None:
        self._slots = slots
        self._n_batch = n_batch
        self._pace = pace
        self._client_budget = slots.cells_total // 2 if client_budget is None else client_budget
        self._n_quiet_most = (len(slots) + 1) // 2
        self._waiting: list[Sequence] = []
        self._running: list[Sequence] = []
        self._n_steps = 0
        self._n_preempted = 0

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
    def n_preempted(self) -> int:
        """How often a sequence had to give its slot up."""
        return self._n_preempted

    @property
    def running(self) -> tuple[Sequence, ...]:
        """Those with a slot, in the order in which they got it."""
        return tuple(self._running)

    def __iter__(self) -> Iterator[Sequence]:
        yield from self._running
        yield from self._waiting

    def add(self, sequence: Sequence) -> None:
        """Queue a new sequence."""
        sequence.queued_at = self._n_steps
        sequence.n_shared = max(common_prefix(self._slots[i].tokens, sequence.tokens) for i in range(len(self._slots)))
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
            Who got one. Their `n_read` says how many tokens the slot holds once the caller has carried the slots'
            moves over to the backend, which must come first; where fewer are there, it says so by `rewind`.
        """
        admitted: list[Sequence] = []
        while (sequence := self._next_in()) is not None:
            slot = self._slots.take(sequence.tokens, sequence.request.client, sequence.request.priority)
            if slot is None:
                break
            self._waiting.remove(sequence)
            self._running.append(sequence)
            sequence.slot = slot.index
            sequence.n_read = len(slot.tokens)
            sequence.served_at = self._n_steps
            admitted.append(sequence)
        return tuple(admitted)

    def rewind(self, sequence: Sequence, n_kept: int) -> None:
        """Record that the backend holds only the first `n_kept` tokens of a running sequence."""
        self._slots.cut(sequence.held_slot, n_kept)
        sequence.n_read = n_kept

    def streams(self) -> tuple[Sequence, ...]:
        """Those that go on by a token in the next step, and by what is set as their draft until it is planned.

        Not those that only come along, since a draft is seldom as free as their one token: with those of a chat a key
        would wait four times as long for each token of its line.
        """
        lead = min((s.request.priority for s in self._running), default=Priority.COMPLETION)
        return tuple(s for s in self._running if s.is_decoding and s.request.priority == lead)

    def plan(self) -> Step:
        """Decide what the next step reads; a plan that was not read is simply made again."""
        return Step(tuple(self._pieces()))

    def commit(self, step: Step) -> None:
        """Record that the step's pieces are in the cache, without their drafts."""
        self._n_steps += 1
        for piece in step.pieces:
            piece.sequence.n_read += len(piece.tokens)
            piece.sequence.served_at = self._n_steps
            self._slots.extend(piece.slot, piece.tokens)

    def accept(self, sequence: Sequence, tokens: tuple[int, ...]) -> None:
        """Record that drafted `tokens`, which are in the cache, turned out to be the sequence's own."""
        sequence.n_read += len(tokens)
        self._slots.extend(sequence.held_slot, tokens)

    # --- order ---

    def _place(self, sequence: Sequence) -> tuple[int, int, int]:
        """Where it stands in the order; less is sooner."""
        work = _work(sequence)
        score = work + self._before(sequence, work) - _AGEING * (self._n_steps - sequence.queued_at)
        return (sequence.request.priority, score, sequence.arrival)

    def _before(self, sequence: Sequence, work: int) -> int:
        """What its client has in work before it, at the same priority."""
        request = sequence.request
        n_before = 0
        for other in self._running:
            if (other.request.client, other.request.priority) != (request.client, request.priority):
                continue
            n_other = _work(other)
            if sequence.slot is None or (n_other, other.arrival) < (work, sequence.arrival):
                n_before += n_other
        return n_before

    # --- slots ---

    def _next_in(self) -> Sequence | None:
        """The first of those that wait and may run now, with a slot made free for it; None if there is none."""
        for sequence in sorted(self._waiting, key=self._place):
            if self._is_within_budget(sequence) and self._make_room(sequence):
                return sequence
        return None

    def _is_within_budget(self, sequence: Sequence) -> bool:
        # Work of a lesser priority does not count: a client's summary must not keep its own key press waiting.
        others = [
            other
            for other in self._running
            if other.request.client == sequence.request.client and other.request.priority <= sequence.request.priority
        ]
        return not others or sum(map(_n_whole, [*others, sequence])) <= self._client_budget

    def _make_room(self, sequence: Sequence) -> bool:
        n_quiet = sum(map(_is_quiet, self._running))
        if self._slots.has_idle and not (_is_quiet(sequence) and n_quiet >= self._n_quiet_most):
            return True
        last = max(self._running, key=self._place)
        if last.request.priority <= sequence.request.priority:
            return False
        self._running.remove(last)
        self._give_slot_up(last)
        self._waiting.append(last)
        self._n_preempted += 1
        return True

    def _give_slot_up(self, sequence: Sequence) -> None:
        self._slots.release(sequence.held_slot)
        sequence.slot = None
        sequence.n_read = 0

    # --- steps ---

    def _pieces(self) -> Iterator[Piece]:
        in_order = sorted(self._running, key=self._place)
        if not in_order:
            return
        lead = in_order[0].request.priority
        writing = self._writing(in_order, lead)
        # By slot: the backend computes neighbouring sequences of one length together.
        writing.sort(key=lambda s: s.held_slot)
        n_left = self._n_batch - len(writing)
        rows: list[Piece] = []
        for sequence in writing:
            piece = _with_draft(_piece(sequence, 1), n_left if sequence.request.priority == lead else 0)
            n_left -= len(piece.draft)
            rows.append(piece)
        yield from rows
        reading = [s for s in in_order if not s.is_decoding]
        if reading:
            beside = replace(Step(tuple(rows)).load, read_depth=float(reading[0].n_read))
            yield from self._readings(reading, lead, beside, n_left)

    def _writing(self, in_order: list[Sequence], lead: Priority) -> list[Sequence]:
        """The streams that go on in a step."""
        streams = [s for s in in_order if s.is_decoding]
        hosts = [s for s in streams if _is_host(s, lead)]
        going = hosts[: self._n_batch]
        for guest in [s for s in streams if s not in hosts]:
            if len(going) < self._n_batch and (self._is_overdue(guest) or self._is_free_row(going, guest)):
                going.append(guest)
        return going

    def _readings(self, reading: list[Sequence], lead: Priority, beside: Load, n_room: int) -> Iterator[Piece]:
        """The pieces of prompts in a step, all of one priority, with `beside` in it already."""
        priority = reading[0].request.priority
        if priority != lead:
            # A stream leads, so at most the least piece comes along.
            overdue = next((s for s in reading if self._is_overdue(s)), None)
            together = replace(beside, n_read=CHUNK_FLOOR)
            if overdue is None and not self._pace.is_free(beside, together):
                return
            reading, n_left = [overdue or reading[0]], min(n_room, CHUNK_FLOOR)
            n_room = n_left
        else:
            reading = [s for s in reading if s.request.priority == lead]
            is_alone = priority == Priority.COMPLETION and beside.n_rows == 0 and len(reading) == 1
            chunk = self._pace.long_chunk(beside.read_depth) if is_alone else self._pace.chunk(beside)
            n_left = min(n_room, chunk)
        for sequence in reading:
            n_tokens = min(n_left, n_room, sequence.n_pending)
            if n_tokens == 0:
                return
            piece = _with_draft(_piece(sequence, n_tokens), n_room - n_tokens)
            yield piece
            n_left -= n_tokens
            n_room -= piece.n_tokens

    def _is_overdue(self, sequence: Sequence) -> bool:
        return self._n_steps - sequence.served_at >= PATIENCE

    def _is_free_row(self, going: list[Sequence], guest: Sequence) -> bool:
        return bool(going) and self._pace.is_free(_rows_of(going), _rows_of([*going, guest]))


def _is_host(stream: Sequence, lead: Priority) -> bool:
    """Whether a stream goes on in every step that `lead` leads."""
    return stream.request.priority in {lead, Priority.CHAT}


def _is_quiet(sequence: Sequence) -> bool:
    return sequence.request.priority > Priority.FOLLOW_UP


def _n_whole(sequence: Sequence) -> int:
    """Tokens of a whole sequence, as long as it may get."""
    return sequence.n_prompt + sequence.request.params.max_tokens


def _work(sequence: Sequence) -> int:
    """What is left to do for a sequence, in tokens read; of the output as much is expected as it may have."""
    n_known = sequence.n_read if sequence.slot is not None else sequence.n_shared
    n_to_write = sequence.request.params.max_tokens - sequence.n_output
    return len(sequence.tokens) - n_known + _WRITING_COST * n_to_write


def _rows_of(streams: Iterable[Sequence]) -> Load:
    rows = [(1, stream.n_read) for stream in streams]
    return Load(n_rows=len(rows), row_depth=_depth(rows))


def _total(parts: list[tuple[int, int]]) -> int:
    return sum(n_tokens for n_tokens, _start in parts)


def _depth(parts: list[tuple[int, int]]) -> float:
    """The mean depth of the tokens of some parts, each given as (tokens, depth at its beginning)."""
    return sum(n_tokens * depth for n_tokens, depth in parts) / max(_total(parts), 1)


def _piece(sequence: Sequence, n_tokens: int) -> Piece:
    start = sequence.n_read
    end = start + n_tokens
    tokens = tuple(sequence.tokens[start:end])
    return Piece(sequence, sequence.held_slot, start, tokens, end == len(sequence.tokens))


def _with_draft(piece: Piece, n_room: int) -> Piece:
    """The piece with as much of its sequence's draft as there is room for, if it is one that can have a draft."""
    draft = piece.sequence.draft[: max(n_room, 0)] if piece.wants_logits else ()
    return replace(piece, draft=draft) if draft else piece

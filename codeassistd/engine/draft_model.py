"""A second, smaller model that guesses what the main one will write, for several sequences at once.

It has a stream for each slot of the main model, and reads into it what that slot's sequence holds: only what is new,
and in pieces where that is much; whatever turned out wrong is cut off again. It is driven between two steps, on the
engine's thread. What it says is only ever a guess, so nothing here can change a text; and where it fails, it is given
up until the next load, with the cause in `problem`, and the main model goes on without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from codeassistd.clock import Clock
from codeassistd.engine.backend import Backend, Batch, Logits
from codeassistd.engine.slots import common_prefix
from codeassistd.errors import DecodeError

__all__ = ["DraftModel", "Wish"]

_GAIN = 0.2
"""Least share of a new measurement in what is believed after it."""

_KEPT_PER_SKIP = 0.99
"""How much of a cost is still believed after it was too much: after some hundred times it is measured anew."""

_MIN_PIECE = 32
"""Fewest tokens that one call may read of what is new, over all sequences."""

_N_READING = 16
"""A batch with so many more tokens than guesses measures how fast is read; one with fewer, what a guess costs."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be guessed for one sequence.

    Attributes:
        slot: of the main model, which holds the sequence.
        tokens: all of the sequence; not kept.
        n_tokens: how many to guess.
    """

    slot: int
    tokens: list[int]
    n_tokens: int


@dataclass(slots=True)
class _Reading:
    """A wish at work.

    Attributes:
        pending: what the next batch reads.
        is_read_up: whether `pending` ends where the next guess begins.
        guess: what has been guessed so far.
    """

    wish: Wish
    pending: list[int]
    is_read_up: bool = True
    guess: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Cost:
    """What something takes: a running mean that is trusted less as long as it is not measured."""

    mean_ms: float = 0.0
    trust: float = 1.0

    @property
    def ms(self) -> float:
        """As believed now; 0 until known."""
        return self.mean_ms * self.trust

    def see(self, took_ms: float) -> None:
        """Learn from a measurement, the more the less the mean is trusted."""
        gain = max(_GAIN, 1.0 - self.trust) if self.mean_ms else 1.0
        self.mean_ms += gain * (took_ms - self.mean_ms)
        self.trust = 1.0

    def fade(self) -> None:
        """It was too much to be tried."""
        self.trust *= _KEPT_PER_SKIP


class DraftModel:
    """Guesses with the likeliest tokens of a model.

    Args:
        backend: of the small model; its memory can be cut, and it has a stream for each slot of the main model.
        main: the big model, of the same vocabulary as far as both have it; never driven.
        clock: measures what guessing costs.

    Attributes:
        problem: why it guesses no more; empty as long as it does.
    """

    name = "model"

    def __init__(self, backend: Backend, main: Backend, clock: Clock) -> None:
        self._backend = backend
        self._n_ctx = backend.info.n_ctx
        self._n_known = backend.info.n_vocab
        self._n_main = main.info.n_vocab
        self._is_stop = main.vocabulary.is_stop
        self._clock = clock
        self._held: list[list[int]] = [[] for _ in range(backend.info.n_slots)]
        self._read_cost = _Cost()
        self._guess_cost = _Cost()
        self.problem = ""

    @property
    def guess_ms(self) -> float:
        """What one guessed token costs, in milliseconds; 0 until known."""
        return self._guess_cost.ms

    def room(self, tokens: list[int], n_max: int) -> int:
        """How many tokens it could guess behind `tokens`, at most `n_max`."""
        if self.problem or (self._n_known < self._n_main and max(tokens) >= self._n_known):
            return 0
        return max(0, min(n_max, self._n_ctx - len(tokens)))

    def catch_up_ms(self, slot: int, tokens: list[int]) -> float:
        """How long it would read what it has missed of `tokens`; 0 for no more than it reads in one go, or unknown."""
        n_missed = len(tokens) - common_prefix(self._held[slot], tokens)
        return self._read_cost.ms * n_missed if n_missed > _MIN_PIECE else 0.0

    def fade(self) -> None:
        """It was too expensive to be asked: trust that a little less, since the machine may have been busy."""
        self._read_cost.fade()
        self._guess_cost.fade()

    def guess(self, wishes: Sequence[Wish], piece_ms: float) -> dict[int, tuple[int, ...]]:
        """Guess for all at once.

        Args:
            wishes: for different slots, none for more than its `room`.
            piece_ms: about how long it may read what it has missed; the rest is read at the next calls.

        Returns:
            By slot, the guesses: as many as wished, fewer where the text would end; none where it is not read up yet.
        """
        readings = self._readings(wishes, piece_ms)
        try:
            self._work(readings)
        except DecodeError as error:
            self.problem = f"the draft model is not used any more: {error}"
            return {}
        return {reading.wish.slot: tuple(reading.guess) for reading in readings if reading.guess}

    def _readings(self, wishes: Sequence[Wish], piece_ms: float) -> list[_Reading]:
        """What the first batch reads: those that miss least first, so that none waits for another's long text."""
        n_left = max(_MIN_PIECE, 2 * len(wishes), int(piece_ms / self._read_cost.ms) if self._read_cost.ms else 0)
        n_left = min(n_left, self._backend.info.n_batch)
        readings: list[_Reading] = []
        for wish in sorted(wishes, key=self._n_missed):
            n_same = len(wish.tokens) - self._n_missed(wish)
            pending = wish.tokens[n_same : n_same + n_left]
            if not pending:
                break
            self._cut(wish.slot, n_same)
            n_left -= len(pending)
            readings.append(_Reading(wish, pending, is_read_up=n_same + len(pending) == len(wish.tokens)))
        return readings

    def _n_missed(self, wish: Wish) -> int:
        # The last token is read in any case: the scores behind it are those of an earlier step.
        return max(1, len(wish.tokens) - common_prefix(self._held[wish.slot], wish.tokens))

    def _cut(self, slot: int, n_kept: int) -> None:
        held = self._held[slot]
        if n_kept < len(held):
            self._backend.remove(slot, n_kept)
            del held[n_kept:]

    def _work(self, readings: list[_Reading]) -> None:
        """Read and guess, one token for each in every round, until all have what they wished."""
        while readings:
            rows = self._read(readings)
            if rows is None:
                return
            readings = [reading for reading in readings if reading.is_read_up]
            for reading, row in zip(readings, rows, strict=True):
                self._extend(reading, int(row.argmax()))
            readings = [reading for reading in readings if reading.pending]

    def _extend(self, reading: _Reading, token: int) -> None:
        """Add a guess, and have it read for the next one if there is to be one."""
        reading.pending = []
        if token >= self._n_main or self._is_stop(token):
            return
        reading.guess.append(token)
        if len(reading.guess) < reading.wish.n_tokens:
            reading.pending = [token]

    def _read(self, readings: list[_Reading]) -> Logits | None:
        """One batch; a row for each that is read up, or None if it was stopped."""
        begun_s = self._clock.monotonic_s()
        batch = self._batch(readings)
        rows = self._backend.decode(batch)
        if rows is None:
            return None
        for reading in readings:
            self._held[reading.wish.slot] += reading.pending
        self._learn(len(batch), len(rows), 1000 * (self._clock.monotonic_s() - begun_s))
        return rows

    def _batch(self, readings: list[_Reading]) -> Batch:
        tokens: list[int] = []
        positions: list[int] = []
        sequences: list[int] = []
        wanted: list[bool] = []
        for reading in readings:
            slot, n_new = reading.wish.slot, len(reading.pending)
            start = len(self._held[slot])
            tokens += reading.pending
            positions += range(start, start + n_new)
            sequences += [slot] * n_new
            wanted += [False] * (n_new - 1) + [reading.is_read_up]
        return Batch(tokens, positions, sequences, wanted)

    def _learn(self, n_tokens: int, n_rows: int, took_ms: float) -> None:
        if n_tokens - n_rows >= _N_READING:
            self._read_cost.see(took_ms / n_tokens)
        elif n_rows:
            self._guess_cost.see(took_ms / n_rows)

"""A backend that answers by a script: every room above the engine is tested with it, without a model.

The vocabulary has one token per byte, and control tokens that a test may spell in prompts and answers. Answers are made
of a second set of byte tokens, so what was asked and what was answered stay apart in the cache, and each next token is
a function of the tokens that the simulated cache really holds at that moment: a fault in the scheduler or in the slots
changes the output. Breaking the backend's contract (gaps between positions, too large batches, two threads at once) is
noted in `violations` and fails the step.
"""

from __future__ import annotations

import dataclasses
import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from codeassistd.engine.backend import BackendInfo, Batch, LoadProgress, Logits, SavedState
from codeassistd.engine.request import SamplingParams
from codeassistd.errors import ModelLoadError
from codeassistd.testing.fake_sampler import FakeSampler
from codeassistd.testing.fake_script import FakeScript
from codeassistd.testing.fake_vocabulary import MARKERS, FakeVocabulary

__all__ = ["FakeBackend"]

_POLL_S = 0.005

_FILE_KEYS = ("n_ctx", "n_batch", "n_slots", "can_cut", "load_error", "step_s")

_CELL_BYTES = 4
_WEIGHT_BYTES = 1 << 20
"""A cell of the simulated cache is the token's id."""

_SCORE = 10.0
"""Logit of the scripted token; all others have 0, so this is the margin too."""


_NONSENSE = 256 + ord("?")
"""What follows on a wrong guess; whoever writes it has trusted a draft."""


def _opened() -> threading.Event:
    gate = threading.Event()
    gate.set()
    return gate


@dataclass(slots=True)
class FakeBackend:
    """Implements `engine.backend.Backend`; give its `load` to the engine as the factory.

    Attributes:
        script: what to answer.
        n_ctx, n_batch, n_slots: as in `BackendInfo`.
        n_threads: most threads of a step; `threads` has each number that was set after the load.
        can_cut: False plays a model whose memory only forgets whole sequences.
        load_error: the load fails with this cause, if set.
        step_s: seconds that each step takes; a step in this wait can be interrupted.
        load_gate, step_gate: while cleared, the load or each step waits; an interrupt ends a step's wait.
        loading, stepping: set while the load or a step is under way.
        batches: every batch that came, in order.
        prompts: the prompt as text, markers spelled out, each time an answer's first token was asked for.
        keeps_records: whether batches, prompts, samplers and threads are noted.
        fail_restore: True refuses every saved state.
        state_id, model_id: as in `BackendInfo`.
        draft: a smaller model beside this one.
        free_grammars: True takes any grammar and leaves it to the script to keep to it.
        samplers: those that were asked for, in order.
        violations: broken contracts; a test may assert that it is empty.
        n_interrupted, n_cleared, n_saved, n_restored, n_closed: how often that happened.
    """

    script: FakeScript = field(default_factory=FakeScript)
    n_ctx: int = 4096
    n_batch: int = 512
    n_slots: int = 4
    n_threads: int = 1
    vocabulary: FakeVocabulary = field(default_factory=FakeVocabulary)
    metadata: dict[str, str] = field(default_factory=lambda: {"general.name": "fake", "general.architecture": "fake"})
    warnings: tuple[str, ...] = ()
    can_cut: bool = True
    load_error: str = ""
    step_s: float = 0.0
    load_gate: threading.Event = field(default_factory=_opened)
    step_gate: threading.Event = field(default_factory=_opened)
    loading: threading.Event = field(default_factory=threading.Event)
    stepping: threading.Event = field(default_factory=threading.Event)
    batches: list[Batch] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    samplers: list[FakeSampler] = field(default_factory=list)
    fail_restore: bool = False
    free_grammars: bool = False
    state_id: str = "fake"
    model_id: str = "fake"
    draft: FakeBackend | None = None
    violations: list[str] = field(default_factory=list)
    n_interrupted: int = 0
    n_cleared: int = 0
    n_saved: int = 0
    n_restored: int = 0
    n_closed: int = 0
    keeps_records: bool = True
    _failures: deque[Exception | None] = field(default_factory=deque)
    _n_free: int = -1
    _cells: list[list[int]] = field(default_factory=list)
    _inside: threading.Lock = field(default_factory=threading.Lock)
    _interrupted: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def from_json(cls, path: Path) -> Self:
        """The backend that a script file describes (see `fake_script`)."""
        data = json.loads(path.read_text("utf-8"))
        markers = MARKERS if data.get("markers", True) else MARKERS[:1]
        return cls(
            FakeScript.from_mapping(data),
            # Nobody can read them in another process, and they would grow for as long as it lives.
            keeps_records=False,
            vocabulary=FakeVocabulary(markers, declares_fim=data.get("declares_fim", True)),
            **{key: data[key] for key in _FILE_KEYS if key in data},
        )

    def load(self, progress: LoadProgress) -> FakeBackend:
        """Play the load of a model: a `BackendFactory`."""
        self.loading.set()
        try:
            progress(0.0)
            while not self.load_gate.wait(_POLL_S):
                if not progress(0.5):
                    raise ModelLoadError("the load was given up")
            if self.load_error:
                raise ModelLoadError(self.load_error)
            progress(1.0)
        finally:
            self.loading.clear()
        self._cells = [[] for _ in range(self.n_slots)]
        if self.draft is not None:
            self.draft.load(progress)
        return self

    def fail_step(self, error: Exception, *, after: int = 0) -> None:
        """Let the step fail that comes after `after` more good ones."""
        self._failures.extend([None] * after)
        self._failures.append(error)

    def hold(self, *, after: int) -> None:
        """Let `after` more steps pass, and close the step gate at the one behind them."""
        self._n_free = after

    @property
    def info(self) -> BackendInfo:
        """What was loaded."""
        return BackendInfo(
            n_ctx=self.n_ctx,
            n_batch=self.n_batch,
            n_slots=self.n_slots,
            n_vocab=self.vocabulary.n_vocab,
            n_threads=self.n_threads,
            metadata=self.metadata,
            asked={"device": "auto"},
            effective={"device": "fake"},
            warnings=self.warnings,
            kv_bytes=self.n_slots * self.n_ctx * _CELL_BYTES,
            state_id=self.state_id,
            model_id=self.model_id,
            weight_bytes=_WEIGHT_BYTES,
        )

    def decode(self, batch: Batch) -> Logits | None:
        """Read the batch and answer by the script."""
        with self._entered():
            if self.keeps_records:
                self.batches.append(batch)
            self._check(batch)
            failure = self._failures.popleft() if self._failures else None
            if failure is not None:
                raise failure
            if not self._wait_for_gate():
                self.n_interrupted += 1
                return None
            return self._read(batch)

    def remove(self, sequence: int, start: int) -> int:
        """Forget a sequence's tokens from `start` on."""
        with self._entered():
            cells = self._cells[sequence]
            if start > len(cells):
                self._violate(f"sequence {sequence} holds {len(cells)} tokens and cannot be cut at {start}")
            if start < len(cells) and not self.can_cut:
                start = 0
            del cells[start:]
            return start

    def cells(self, sequence: int) -> list[int]:
        """The tokens that a sequence really holds."""
        return list(self._cells[sequence])

    def save(self, sequence: int) -> SavedState:
        """The tokens of a sequence, four bytes each."""
        with self._entered():
            self.n_saved += 1
            return np.asarray(self._cells[sequence], dtype="<i4").tobytes()

    def restore(self, sequence: int, state: SavedState) -> bool:
        """Put saved tokens in place of a sequence's own."""
        with self._entered():
            if self.fail_restore:
                self._cells[sequence] = []
                return False
            self.n_restored += 1
            self._cells[sequence] = np.frombuffer(state, dtype="<i4").tolist()
            return True

    def sampler(self, params: SamplingParams) -> FakeSampler:
        """A sampler that knows a simple kind of grammar."""
        with self._entered():
            if self.free_grammars:
                params = dataclasses.replace(params, grammar="")
            sampler = FakeSampler(self.vocabulary, params)
            if self.keeps_records:
                self.samplers.append(sampler)
            return sampler

    def clear(self) -> None:
        """Forget everything."""
        with self._entered():
            self.n_cleared += 1
            for cells in self._cells:
                cells.clear()

    def set_threads(self, n_threads: int) -> None:
        """Note the number."""
        with self._entered():
            if not 1 <= n_threads <= self.n_threads:
                self._violate(f"{n_threads} threads, between 1 and {self.n_threads} are allowed")
            if self.keeps_records:
                self.threads.append(n_threads)

    def interrupt(self) -> None:
        """Stop the step that is under way, if it waits."""
        if self.stepping.is_set():
            self._interrupted.set()

    def close(self) -> None:
        """Count the close."""
        with self._entered():
            self.n_closed += 1
        if self.draft is not None:
            self.draft.close()

    @contextmanager
    def _entered(self) -> Iterator[None]:
        if not self._inside.acquire(blocking=False):
            self._violate("two threads are in the backend at once")
        try:
            yield
        finally:
            self._inside.release()

    def _violate(self, what: str) -> None:
        self.violations.append(what)
        raise AssertionError(what)

    def _check(self, batch: Batch) -> None:
        if not 0 < len(batch) <= self.n_batch:
            self._violate(f"a batch of {len(batch)} tokens, between 1 and {self.n_batch} are allowed")
        if {len(batch.positions), len(batch.sequences), len(batch.wanted)} != {len(batch)}:
            self._violate("the columns of a batch differ in length")
        ends = [len(cells) for cells in self._cells]
        for token, position, sequence in zip(batch.tokens, batch.positions, batch.sequences, strict=True):
            if not 0 <= sequence < self.n_slots:
                self._violate(f"there is no sequence {sequence}")
            if position != ends[sequence] or position >= self.n_ctx:
                self._violate(f"position {position} in sequence {sequence}, which holds {ends[sequence]} tokens")
            if not 0 <= token < self.vocabulary.n_vocab:
                self._violate(f"there is no token {token}")
            ends[sequence] += 1

    def _wait_for_gate(self) -> bool:
        self._interrupted.clear()
        if self._n_free == 0:
            self.step_gate.clear()
        self._n_free -= 1
        self.stepping.set()
        try:
            if self.step_s and self._interrupted.wait(self.step_s):
                return False
            while not self.step_gate.wait(_POLL_S):
                if self._interrupted.is_set():
                    return False
            return True
        finally:
            self.stepping.clear()

    def _read(self, batch: Batch) -> Logits:
        rows = np.zeros((sum(batch.wanted), self.vocabulary.n_vocab), dtype=np.float32)
        n_rows = 0
        n_sure: dict[int, int] = {}
        for token, sequence, wanted in zip(batch.tokens, batch.sequences, batch.wanted, strict=True):
            cells = self._cells[sequence]
            cells.append(token)
            if wanted:
                # Only the first wanted token of a sequence is surely its own; those behind it are a draft.
                rows[n_rows] = self.scores(cells, n_sure.setdefault(sequence, len(cells)))
                n_rows += 1
        return rows

    def scores(self, cells: list[int], n_sure: int) -> Logits:
        """The row of scores after `cells`, of which those from `n_sure` on are a draft that may be wrong."""
        row = np.zeros(self.vocabulary.n_vocab, dtype=np.float32)
        row[self._next_token(cells[:n_sure], cells[n_sure:])] = _SCORE
        return row

    def _next_token(self, cells: list[int], draft: list[int]) -> int:
        n_prompt = self.vocabulary.n_before_answer(cells)
        prompt = self.vocabulary.spell(cells[:n_prompt])
        if n_prompt == len(cells) and not draft and self.keeps_records:
            self.prompts.append(prompt)
        answer = self.vocabulary.answer_ids(self.script.answer(prompt))
        said = cells[n_prompt:]
        if said != answer[: len(said)]:
            self._violate(f"the cache holds an answer that was never given: {self.vocabulary.spell(said)!r}")
        said += draft
        if said != answer[: len(said)]:
            return _NONSENSE
        return answer[len(said)] if len(said) < len(answer) else self.vocabulary.eos_id

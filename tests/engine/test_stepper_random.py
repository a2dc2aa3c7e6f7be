"""Random work for the scheduler, slots and stepper together, checked against what each prompt must be answered."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from codeassistd.engine.backend import Batch, Logits
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, SamplingParams, Token
from codeassistd.engine.scheduler import Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.errors import DecodeError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript

N_CTX = 64


class HashScript(FakeScript):
    """Each prompt has an answer of its own, so a token too many or too few in the cache shows."""

    def answer(self, prompt: str) -> str:
        """Some letters that depend on the whole prompt."""
        number = zlib.crc32(prompt.encode())
        return f"{number}"[: 1 + number % 9]


class StepClock:
    """A clock that goes on by what a step takes."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic_s(self) -> float:
        """Seconds of all steps."""
        return self.now_s

    def wall_s(self) -> float:
        """The same."""
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        """Never called by the stepper."""
        raise NotImplementedError


@dataclass
class Watched:
    """A sequence and all it was given."""

    sequence: Sequence
    items: list[Token | Ending] = field(default_factory=list)

    @property
    def endings(self) -> list[Ending]:
        return [item for item in self.items if isinstance(item, Ending)]

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, Token))


class EngineWork(RuleBasedStateMachine):
    """Submits, steps, cancels, interrupts and failures in any order."""

    @initialize(
        n_slots=st.integers(1, 4),
        n_batch=st.integers(1, 40),
        can_cut=st.booleans(),
    )
    def begin(self, n_slots: int, n_batch: int, can_cut: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        """A fresh backend of some size."""
        self.backend = FakeBackend(
            HashScript(), n_ctx=N_CTX, n_batch=max(n_batch, n_slots), n_slots=n_slots, can_cut=can_cut
        )
        self.backend.load(lambda _share: True)
        self.interrupt_next = False
        self.clock = StepClock()
        self.step_s = 0.0
        self.stepper = Stepper(self.backend, self.clock, Totals(), self.decode)
        self.work: list[Watched] = []

    def decode(self, backend: FakeBackend, step: Step, batch: Batch) -> Logits | None:
        read_for = {piece.sequence.request.priority for piece in step.pieces if not piece.is_row}
        assert len(read_for) <= 1
        self.clock.now_s += self.step_s
        if self.interrupt_next:
            self.interrupt_next = False
            return None
        return backend.decode(batch)

    @rule(
        stem=st.sampled_from(["", "def a():", "import os\n" * 3]),
        tail=st.text("ab", min_size=1, max_size=20),
        client=st.sampled_from("xy"),
        priority=st.sampled_from(list(Priority)),
        max_tokens=st.integers(0, 12),
    )
    def submit(self, stem: str, tail: str, client: str, priority: Priority, max_tokens: int) -> None:
        """A request whose prompt shares its beginning with others."""
        prompt = tuple(self.backend.vocabulary.tokenize(stem + tail))
        request = GenerateRequest(prompt, SamplingParams(max_tokens), priority, client)
        watched = Watched(Sequence(request, arrival=len(self.work)))
        watched.sequence.sink = watched.items.append
        self.work.append(watched)
        self.stepper.scheduler.add(watched.sequence)

    @precondition(lambda self: self.stepper.has_work)
    @rule(step_s=st.sampled_from([0.0, 0.0001, 0.01, 0.05, 3.0]))
    def step(self, step_s: float) -> None:
        """One good step, however long it takes."""
        self.step_s = step_s
        self.stepper.step()
        self.stepper.hand_out()

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def interrupted_step(self) -> None:
        """One step that is stopped half-way."""
        self.interrupt_next = True
        self.stepper.step()
        self.stepper.hand_out()

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def failing_step(self) -> None:
        """One step that fails."""
        self.backend.fail_step(DecodeError("injected"))
        try:
            self.stepper.step()
        except DecodeError as error:
            self.stepper.fail(str(error))
        self.stepper.hand_out()

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """Someone goes away, ended or not."""
        if self.work:
            self.stepper.cancel({data.draw(st.sampled_from(self.work)).sequence})
            self.stepper.hand_out()

    @invariant()
    def books_add_up(self) -> None:
        """Slots hold what the backend holds, and no slot has two owners."""
        slots = self.stepper.scheduler.slots
        slots.check_integrity()
        running = [sequence for sequence in self.stepper.scheduler if sequence.slot is not None]
        assert len({sequence.slot for sequence in running}) == len(running) == self.stepper.scheduler.n_running
        assert {sequence.slot for sequence in running} == {i for i in range(len(slots)) if slots[i].running}
        for sequence in running:
            assert slots[sequence.held_slot].tokens == sequence.tokens[: sequence.n_read]
        quiet = [sequence for sequence in running if sequence.request.priority > Priority.FOLLOW_UP]
        assert len(quiet) <= (len(slots) + 1) // 2
        assert [] == self.backend.violations

    @invariant()
    def endings_are_right(self) -> None:
        """Each sequence that ended did so once, with the text that its prompt must have."""
        at_work = set(self.stepper.scheduler)
        for watched in self.work:
            assert (0 if watched.sequence in at_work else 1) == len(watched.endings)
            request = watched.sequence.request
            prompt = self.backend.vocabulary.spell(list(request.prompt))
            full = self.backend.script.answer(prompt)
            assert full.startswith(watched.text)
            for ending in watched.endings:
                assert len(watched.text) == ending.n_output
                if ending.reason is FinishReason.STOP:
                    assert full == watched.text
                elif ending.reason is FinishReason.LENGTH:
                    assert min(request.params.max_tokens, N_CTX - len(request.prompt)) == ending.n_output

    def teardown(self) -> None:
        """Whatever is left comes to its end by itself."""
        if not hasattr(self, "stepper"):
            return
        for _ in range(10_000):
            if not self.stepper.has_work:
                break
            self.step(0.01)
        assert not self.stepper.has_work
        self.endings_are_right()


TestEngineWork = EngineWork.TestCase
TestEngineWork.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

"""Random work for one stepper: what every such machine does and holds, whatever it submits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from codeassistd.engine.backend import Backend, Batch, Logits
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, Token
from codeassistd.engine.scheduler import Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.errors import DecodeError
from codeassistd.testing.fake_backend import FakeBackend
from tests.support.chance_backend import Written

__all__ = ["EngineWork", "StepClock", "Watched"]

_MOST_STEPS = 10_000


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
    """A sequence, what it must write where that is known, and all it was given."""

    sequence: Sequence
    truth: Written | None = None
    items: list[Token | Ending] = field(default_factory=list)

    @property
    def endings(self) -> list[Ending]:
        """At most one."""
        return [item for item in self.items if isinstance(item, Ending)]

    @property
    def ids(self) -> tuple[int, ...]:
        """Its tokens so far."""
        return tuple(item.id for item in self.items if isinstance(item, Token))

    @property
    def text(self) -> str:
        """Its letters so far."""
        return "".join(item.text for item in self.items if isinstance(item, Token))


class EngineWork(RuleBasedStateMachine):
    """Steps, stops, failures and cancels in any order; a machine adds its beginning, by `work_on`, and its submits."""

    backend: FakeBackend
    stepper: Stepper

    def __init__(self) -> None:
        super().__init__()
        self.clock = StepClock()
        self.step_s = 0.0
        self.interrupt_next = False
        self.totals = Totals()
        self.work: list[Watched] = []

    def work_on(self, backend: FakeBackend, *make_drafters: Any, **options: Any) -> None:
        """Load `backend`, and work on it from now on."""
        backend.load(lambda _share: True)
        self.backend = backend
        self.stepper = Stepper(backend, self.clock, self.totals, self.decode, *make_drafters, **options)

    def add(self, request: GenerateRequest, truth: Written | None = None) -> None:
        """Submit a request."""
        watched = Watched(Sequence(request, arrival=len(self.work), submitted_s=self.clock.now_s), truth)
        watched.sequence.sink = watched.items.append
        self.work.append(watched)
        self.stepper.scheduler.add(watched.sequence)

    def decode(self, backend: Backend, step: Step, batch: Batch) -> Logits | None:
        """What the engine does between the stepper and the backend."""
        read_for = {piece.sequence.request.priority for piece in step.pieces if not piece.is_row}
        assert len(read_for) <= 1
        self.clock.now_s += self.step_s
        if self.interrupt_next:
            self.interrupt_next = False
            return None
        return backend.decode(batch)

    def take_step(self) -> None:
        """One step as the engine takes it: a failure ends those at work.

        A failure that was prepared may strike later than meant, where a step came to its end without the backend.
        """
        try:
            self.stepper.step()
        except DecodeError as error:
            self.stepper.fail(str(error))
        self.stepper.hand_out()

    def finish(self) -> None:
        """All the steps that are needed."""
        for _ in range(_MOST_STEPS):
            if not self.stepper.has_work:
                return
            self.take_step()
        raise AssertionError("the work does not end")

    @precondition(lambda self: self.stepper.has_work)
    @rule(step_s=st.sampled_from([0.0, 0.0001, 0.01, 0.05, 3.0]))
    def step(self, step_s: float) -> None:
        """One step, however long it takes."""
        self.step_s = step_s
        self.take_step()

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def interrupted_step(self) -> None:
        """One step that is stopped half-way."""
        self.interrupt_next = True
        self.take_step()
        self.interrupt_next = False

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def failing_step(self) -> None:
        """One step that fails."""
        self.backend.fail_step(DecodeError("injected"))
        self.take_step()

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """Someone goes away, ended or not: the ending is there at once."""
        if self.work:
            watched = data.draw(st.sampled_from(self.work))
            self.stepper.cancel({watched.sequence})
            self.stepper.hand_out()
            assert 1 == len(watched.endings)

    @invariant()
    def books_add_up(self) -> None:
        """Slots hold what the backend holds, which is nothing but prompts and what was written; none has two owners."""
        scheduler = self.stepper.scheduler
        slots = scheduler.slots
        slots.check_integrity()
        if not self.stepper._must_clear:  # else the backend is cleared at the next step
            assert [self.backend.cells(i) for i in range(len(slots))] == [slots[i].tokens for i in range(len(slots))]
        running = scheduler.running
        assert {sequence.slot for sequence in running} == {i for i in range(len(slots)) if slots[i].running}
        assert len(running) == len({sequence.slot for sequence in running}) == scheduler.n_running
        for sequence in running:
            assert slots[sequence.held_slot].tokens == sequence.tokens[: sequence.n_read]
        quiet = [sequence for sequence in running if sequence.request.priority > Priority.FOLLOW_UP]
        assert len(quiet) <= (len(slots) + 1) // 2
        assert [] == self.backend.violations
        assert self.backend.draft is None or [] == self.backend.draft.violations

    @invariant()
    def each_ends_once_with_its_own_text(self) -> None:
        """Whatever was cached, guessed, stopped or lost on the way."""
        at_work = set(self.stepper.scheduler)
        for watched in self.work:
            assert (0 if watched.sequence in at_work else 1) == len(watched.endings)
            if watched.truth is not None:
                assert watched.truth.ids[: len(watched.ids)] == watched.ids
            for ending in watched.endings:
                assert ending is watched.items[-1]
                assert len(watched.ids) == ending.n_output
                assert 0 <= ending.n_cached < ending.n_prompt
                if watched.truth is not None and ending.reason in {FinishReason.STOP, FinishReason.LENGTH}:
                    assert watched.truth == Written(watched.ids, ending.reason)

    def teardown(self) -> None:
        """Whatever is left comes to its end by itself, and nothing stays behind."""
        if not hasattr(self, "stepper"):
            return
        self.finish()
        self.books_add_up()
        self.each_ends_once_with_its_own_text()
        self.stepper.close(FinishReason.ABORTED)
        assert 1 == self.backend.n_closed
        assert all(sampler.n_closed == 1 for sampler in self.backend.samplers)

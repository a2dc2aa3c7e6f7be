"""Random work with drafts of every kind: what is written is what one token after the other would have been."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from codeassistd.engine.backend import Backend, Batch, Logits
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, SamplingParams, Token
from codeassistd.engine.scheduler import Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.errors import DecodeError
from codeassistd.testing.fake_clock import FakeClock
from tests.support.chance_backend import ChanceBackend, Written, written
from tests.support.draft_models import DRAFT_MODELS, draft_model
from tests.support.drafters import DRAFTERS, EveryStepPays, drafters

N_CTX = 48


@dataclass
class Watched:
    """A sequence, what it must write and what it was given."""

    sequence: Sequence
    truth: Written
    items: list[Token | Ending] = field(default_factory=list)

    @property
    def endings(self) -> list[Ending]:
        return [item for item in self.items if isinstance(item, Ending)]

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(item.id for item in self.items if isinstance(item, Token))


class DraftedWork(RuleBasedStateMachine):
    """Submits, steps, cancels, interrupts and failures in any order, with one kind of drafter and of draft model."""

    @initialize(
        kind=st.sampled_from(DRAFTERS),
        model=st.sampled_from(["none", *DRAFT_MODELS]),
        n_slots=st.integers(1, 4),
        n_batch=st.integers(1, 40),
        can_cut=st.booleans(),
    )
    def begin(self, kind: str, model: str, n_slots: int, n_batch: int, can_cut: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        """A fresh backend of some size."""
        self.backend = ChanceBackend(n_ctx=N_CTX, n_batch=max(n_batch, n_slots), n_slots=n_slots, can_cut=can_cut)
        if model != "none":
            self.backend.draft = draft_model(model, self.backend, n_ctx=N_CTX - 8)
        self.backend.load(lambda _share: True)
        self.interrupt_next = False
        self.has_failed = False  # then the backend is only cleared at the next step
        self.totals = Totals()
        self.stepper = Stepper(self.backend, FakeClock(), self.totals, self.decode, drafters(kind, self.backend))
        self.stepper.drafting.costs = EveryStepPays()
        self.work: list[Watched] = []

    def decode(self, backend: Backend, _step: Step, batch: Batch) -> Logits | None:
        if self.interrupt_next:
            self.interrupt_next = False
            return None
        return backend.decode(batch)

    @rule(
        stem=st.sampled_from(["", "def a():", "import os\n" * 3]),
        tail=st.text("ab", min_size=1, max_size=8),
        client=st.sampled_from("xy"),
        priority=st.sampled_from(list(Priority)),
        max_draft=st.sampled_from([0, 1, 5, 16]),
        params=st.builds(
            SamplingParams,
            max_tokens=st.sampled_from([0, 1, 2, 7, 40]),
            temperature=st.sampled_from([0.0, 1.0]),
            seed=st.integers(0, 3),
        ),
        stop=st.sampled_from(["", "c"]),
        proposed=st.one_of(st.none(), st.tuples(st.integers(0, 12), st.text("abz", max_size=30))),
    )
    def submit(self, stem: str, tail: str, stop: str, proposed: tuple[int, str] | None, **fields: Any) -> None:
        """A request whose prompt shares its beginning with others, and which may propose an answer, right or wrong."""
        vocabulary = self.backend.vocabulary
        request = GenerateRequest(
            tuple(vocabulary.tokenize(stem + tail)),
            stop_ids=frozenset(vocabulary.answer_ids(stop)),
            draft_sources=(tuple(vocabulary.answer_ids("abcdeabd")),),
            **fields,
        )
        truth = written(self.backend, request)
        if proposed is not None:
            n_right, rest = proposed
            request = replace(request, proposal=(*truth.ids[:n_right], *vocabulary.answer_ids(rest)))
        watched = Watched(Sequence(request, arrival=len(self.work)), truth)
        watched.sequence.sink = watched.items.append
        self.work.append(watched)
        self.stepper.scheduler.add(watched.sequence)

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def step(self) -> None:
        """One good step."""
        self.stepper.step()
        self.has_failed = False
        self.stepper.hand_out()

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def interrupted_step(self) -> None:
        """One step that is stopped half-way."""
        self.interrupt_next = True
        self.stepper.step()
        self.has_failed = False
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
            self.has_failed = True
        self.stepper.hand_out()

    @precondition(lambda self: self.backend.draft is not None)
    @rule(after=st.integers(0, 20))
    def failing_draft_model(self, after: int) -> None:
        """One of the next steps of the draft model fails, and it is not asked again."""
        self.backend.draft.fail_step(DecodeError("injected there"), after=after)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """Someone goes away, ended or not."""
        if self.work:
            self.stepper.cancel({data.draw(st.sampled_from(self.work)).sequence})
            self.stepper.hand_out()

    @invariant()
    def rejected_guesses_are_gone(self) -> None:
        """Slots hold what the backend holds, which is nothing but prompts and what was written."""
        slots = self.stepper.scheduler.slots
        slots.check_integrity()
        for index in range(len(slots)):
            if not self.has_failed:
                assert slots[index].tokens == self.backend.cells(index)
        for sequence in self.stepper.scheduler.running:
            assert slots[sequence.held_slot].tokens == sequence.tokens[: sequence.n_read]
        assert [] == self.backend.violations
        assert self.backend.draft is None or [] == self.backend.draft.violations

    @invariant()
    def the_text_is_that_without_drafts(self) -> None:
        """Each sequence writes its truth, and the figures of all add up."""
        for watched in self.work:
            assert watched.truth.ids[: len(watched.ids)] == watched.ids
            for ending in watched.endings:
                assert len(watched.ids) == ending.n_output
                if ending.reason in (FinishReason.STOP, FinishReason.LENGTH):
                    assert watched.truth == Written(watched.ids, ending.reason)
                for count in ending.drafts:
                    assert 0 <= count.n_accepted <= count.n_drafted
                    assert self.backend.can_cut
                    assert count.drafter != "wrong" or count.n_accepted == 0
                    assert count.drafter != "right" or count.n_accepted == count.n_drafted
        ended = Counter[str]()
        for watched in self.work:
            ended.update({c.drafter: c.n_drafted for ending in watched.endings for c in ending.drafts})
        assert dict(ended) == {count.drafter: count.n_drafted for count in self.totals.drafts}

    def teardown(self) -> None:
        """Whatever is left comes to its end by itself."""
        if not hasattr(self, "stepper"):
            return
        for _ in range(10_000):
            if not self.stepper.has_work:
                break
            self.step()
        assert not self.stepper.has_work
        self.the_text_is_that_without_drafts()


TestDraftedWork = DraftedWork.TestCase
TestDraftedWork.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)

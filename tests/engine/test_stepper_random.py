"""Random work for the scheduler, slots and stepper together, checked against what each prompt must be answered."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from codeassistd.engine.request import FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.testing.fake_backend import FakeBackend
from tests.support.engine_work import EngineWork
from tests.support.hash_script import HashScript

N_CTX = 64


class PlainWork(EngineWork):
    """Short prompts that share their beginnings, on backends of every size."""

    @initialize(
        n_slots=st.integers(1, 4),
        n_batch=st.integers(1, 40),
        can_cut=st.booleans(),
    )
    def begin(self, n_slots: int, n_batch: int, can_cut: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        """A fresh backend of some size."""
        n_batch = max(n_batch, n_slots)
        self.work_on(FakeBackend(HashScript(), n_ctx=N_CTX, n_batch=n_batch, n_slots=n_slots, can_cut=can_cut))

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
        self.add(GenerateRequest(prompt, SamplingParams(max_tokens), priority, client))

    @invariant()
    def texts_are_those_of_the_script(self) -> None:
        """Each sequence that ended has the text that its prompt must have."""
        for watched in self.work:
            request = watched.sequence.request
            full = self.backend.script.answer(self.backend.vocabulary.spell(list(request.prompt)))
            assert full.startswith(watched.text)
            for ending in watched.endings:
                if ending.reason is FinishReason.STOP:
                    assert full == watched.text
                elif ending.reason is FinishReason.LENGTH:
                    assert min(request.params.max_tokens, N_CTX - len(request.prompt)) == ending.n_output


TestPlainWork = PlainWork.TestCase
TestPlainWork.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

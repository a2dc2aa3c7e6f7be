"""Random work with drafts of every kind: what is written is what one token after the other would have been."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from codeassistd.engine.request import GenerateRequest, Priority, SamplingParams
from codeassistd.errors import DecodeError
from tests.support.chance_backend import ChanceBackend, written
from tests.support.draft_models import DRAFT_MODELS, draft_model
from tests.support.drafters import DRAFTERS, EveryStepPays, drafters
from tests.support.engine_work import EngineWork

N_CTX = 48


class DraftedWork(EngineWork):
    """Short requests, with one kind of drafter and of draft model."""

    backend: ChanceBackend

    @initialize(
        kind=st.sampled_from(DRAFTERS),
        model=st.sampled_from(["none", *DRAFT_MODELS]),
        n_slots=st.integers(1, 4),
        n_batch=st.integers(1, 40),
        can_cut=st.booleans(),
    )
    def begin(self, kind: str, model: str, n_slots: int, n_batch: int, can_cut: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        """A fresh backend of some size."""
        backend = ChanceBackend(n_ctx=N_CTX, n_batch=max(n_batch, n_slots), n_slots=n_slots, can_cut=can_cut)
        if model != "none":
            backend.draft = draft_model(model, backend, n_ctx=N_CTX - 8)
        self.work_on(backend, drafters(kind, backend))
        self.stepper.drafting.costs = EveryStepPays()

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
        self.add(request, truth)

    @precondition(lambda self: self.backend.draft is not None)
    @rule(after=st.integers(0, 20))
    def failing_draft_model(self, after: int) -> None:
        """One of the next steps of the draft model fails, and it is not asked again."""
        assert self.backend.draft is not None
        self.backend.draft.fail_step(DecodeError("injected there"), after=after)

    @invariant()
    def counts_of_drafts_add_up(self) -> None:
        """Of each drafter, over all sequences."""
        ended = Counter[str]()
        for watched in self.work:
            for count in (count for ending in watched.endings for count in ending.drafts):
                assert 0 <= count.n_accepted <= count.n_drafted
                assert self.backend.can_cut
                assert count.drafter != "wrong" or count.n_accepted == 0
                assert count.drafter != "right" or count.n_accepted == count.n_drafted
                ended[count.drafter] += count.n_drafted
        assert dict(ended) == {count.drafter: count.n_drafted for count in self.totals.drafts}


TestDraftedWork = DraftedWork.TestCase
TestDraftedWork.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)

"""Random work with everything on at once: drafts, proposals, a draft model, grammars, saved states, reloads, unloads.

Each request is answered as by a bare loop that knows none of them, whatever comes between.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.prefix_cache import Place
from codeassistd.engine.request import FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.engine.slots import N_WORTH
from codeassistd.errors import DecodeError
from tests.support.chance_backend import ChanceBackend, written
from tests.support.draft_models import DRAFT_MODELS, draft_model
from tests.support.drafters import DRAFTERS, EveryStepPays, drafters
from tests.support.engine_work import EngineWork

N_CTX = 160
HEAD = "import os\n" * 8
STEMS = ["", "def a():", HEAD, HEAD + "p" * (N_WORTH // 2), HEAD + "q" * (N_WORTH // 2)]


class EveryWork(EngineWork):
    """One engine over several loads, with files of saved states between them."""

    backend: ChanceBackend

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()

    @initialize(
        kind=st.sampled_from(DRAFTERS),
        n_slots=st.integers(1, 4),
        n_batch=st.sampled_from([1, 5, 16, 40, 160]),
        can_cut=st.booleans(),
        memory_bytes=st.sampled_from([100_000, 1500, 0]),
        disk_bytes=st.sampled_from([100_000, 4000, 0]),
    )
    def begin(self, kind: str, n_slots: int, n_batch: int, memory_bytes: int, disk_bytes: int, **fields: Any) -> None:
        """A fresh engine of some size."""
        self.kind = kind
        self.size = {"n_ctx": N_CTX, "n_slots": n_slots, "n_batch": max(n_batch, n_slots), "n_threads": 4, **fields}
        self.limits = CacheLimits(memory_bytes, disk_bytes, Path(self.home.name) / "kv")
        self.load("none")

    def load(self, model: str) -> None:
        backend = ChanceBackend(**self.size)
        if model != "none":
            backend.draft = draft_model(model, backend, n_ctx=N_CTX - 20, n_batch=max(8, backend.n_slots))
        self.work_on(backend, drafters(self.kind, backend), limits=self.limits)
        self.stepper.drafting.costs = EveryStepPays()

    @rule(
        stem=st.sampled_from(STEMS),
        tail=st.text("ab", min_size=1, max_size=8),
        client=st.sampled_from("xyz"),
        priority=st.sampled_from(list(Priority)),
        max_draft=st.sampled_from([0, 1, 16]),
        params=st.builds(
            SamplingParams,
            max_tokens=st.sampled_from([0, 1, 7, 40]),
            temperature=st.sampled_from([0.0, 1.0]),
            seed=st.integers(0, 3),
            grammar=st.sampled_from(["", "", "root ::= [abc]*"]),
        ),
        stop=st.sampled_from(["", "c"]),
        proposed=st.one_of(st.none(), st.tuples(st.integers(0, 12), st.text("abz", max_size=30))),
    )
    def submit(self, stem: str, tail: str, stop: str, proposed: tuple[int, str] | None, **fields: Any) -> None:
        """A request of any kind, whose prompt shares its beginning with others."""
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

    @rule()
    def finish_all(self) -> None:
        """All the steps that are needed."""
        self.finish()

    @rule()
    def unreadable_grammar(self) -> None:
        """It ends with an error as soon as it gets a slot, and harms nobody."""
        prompt = tuple(self.backend.vocabulary.tokenize(HEAD))
        self.add(GenerateRequest(prompt, SamplingParams(4, grammar="nonsense")))

    @rule()
    def refuse_states(self) -> None:
        """From now on, or no longer, the backend takes no saved state."""
        self.backend.fail_restore = not self.backend.fail_restore

    @precondition(lambda self: self.backend.draft is not None)
    @rule(after=st.integers(0, 20))
    def failing_draft_model(self, after: int) -> None:
        """One of the next steps of the draft model fails."""
        assert self.backend.draft is not None
        self.backend.draft.fail_step(DecodeError("injected there"), after=after)

    @rule(model=st.sampled_from(["none", *DRAFT_MODELS]))
    def reload(self, model: str) -> None:
        """Another load in the middle of the work, perhaps with another draft model: those at work end with an error."""
        at_work = set(self.stepper.scheduler)
        self.end_model(FinishReason.ERROR)
        for watched in self.work:
            if watched.sequence in at_work:
                assert FinishReason.ERROR is watched.endings[0].reason
        self.load(model)

    @precondition(lambda self: not self.stepper.has_work)
    @rule()
    def unload(self) -> None:
        """Nothing was asked for long, and then something is."""
        self.end_model(FinishReason.ABORTED)
        self.load("none")

    def end_model(self, reason: FinishReason) -> None:
        self.stepper.close(reason, "replaced")
        folder = self.limits.folder
        assert folder is not None
        files = list(folder.glob("*")) if folder.exists() else []
        assert sum(path.stat().st_size for path in files) <= self.limits.disk_bytes
        assert 1 == self.backend.n_closed
        assert all(sampler.n_closed == 1 for sampler in self.backend.samplers)

    @invariant()
    def figures_add_up(self) -> None:
        """What all endings say together is what the totals say, and what is saved is what the books say."""
        endings = [ending for watched in self.work for ending in watched.endings]
        totals = self.totals
        assert sum(ending.n_prompt for ending in endings) == totals.n_prompt
        assert sum(ending.n_cached for ending in endings) == totals.n_cached
        assert sum(ending.n_output for ending in endings) == totals.n_output
        assert len(endings) == totals.n_finished + totals.n_aborted + totals.n_failed
        carrier, cache = self.stepper.carrier, self.stepper.scheduler.slots.cache
        assert carrier.n_bytes == cache.n_bytes(Place.MEMORY) <= self.limits.memory_bytes

    def teardown(self) -> None:
        """The files go last."""
        try:
            super().teardown()
        finally:
            self.home.cleanup()


TestEveryWork = EveryWork.TestCase
TestEveryWork.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)

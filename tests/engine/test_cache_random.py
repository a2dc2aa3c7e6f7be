"""Random work with long prompts, so that slots are saved, copied, evicted and brought back; no text may change."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.prefix_cache import Place
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.engine.slots import N_WORTH
from codeassistd.testing.fake_backend import FakeBackend
from tests.support.engine_work import EngineWork
from tests.support.hash_script import HashScript

N_CTX = 400
HEAD = "shared by all\n" * 5
FILES = [HEAD + letter * (N_WORTH + 10) for letter in "pqrstu"] + ["v" * 3 * N_WORTH, "w" * 10]


class CacheWork(EngineWork):
    """Requests of two editors in a few files, with failures, refusals, damage and restarts between them."""

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()

    @initialize(
        n_slots=st.integers(1, 3),
        can_cut=st.booleans(),
        memory_bytes=st.sampled_from([100_000, 4000, 1500, 0]),
        disk_bytes=st.sampled_from([100_000, 4000, 0]),
    )
    def begin(self, n_slots: int, can_cut: bool, memory_bytes: int, disk_bytes: int) -> None:  # noqa: FBT001 - drawn
        """A fresh engine of some size."""
        self.size = {"n_slots": n_slots, "can_cut": can_cut, "n_batch": 64, "n_ctx": N_CTX}
        self.limits = CacheLimits(memory_bytes, disk_bytes, Path(self.home.name) / "kv")
        self.load()

    def load(self) -> None:
        self.work_on(FakeBackend(HashScript(), **self.size), limits=self.limits)  # type: ignore[arg-type]  # a table of any

    @rule(
        file=st.sampled_from(FILES),
        n_kept=st.sampled_from([0, 1, 30]),
        typed=st.text("ab", min_size=1, max_size=4),
        client=st.sampled_from("xy"),
        priority=st.sampled_from(list(Priority)),
        max_tokens=st.integers(0, 12),
    )
    def submit(  # noqa: PLR0917 - each is drawn apart
        self, file: str, n_kept: int, typed: str, client: str, priority: Priority, max_tokens: int
    ) -> None:
        """A key in one of the files, at its end or further up."""
        prompt = tuple(self.backend.vocabulary.tokenize(file[: len(file) - n_kept] + typed))
        self.add(GenerateRequest(prompt, SamplingParams(max_tokens), priority, client))

    @rule(files=st.lists(st.sampled_from(FILES), min_size=1, max_size=6), client=st.sampled_from("xy"))
    def walk(self, files: list[str], client: str) -> None:
        """An editor goes through files and types a letter in each."""
        for file in files:
            self.submit(file, 0, "a", client, Priority.COMPLETION, 12)
            self.finish()

    @rule()
    def finish_all(self) -> None:
        """All the steps that are needed."""
        self.finish()

    @rule()
    def refuse_states(self) -> None:
        """From now on, or no longer, the backend takes no saved state."""
        self.backend.fail_restore = not self.backend.fail_restore

    @rule(damage=st.sampled_from([0, 0, 1, 2, 3]))
    def restart(self, damage: int) -> None:
        """The engine ends and starts again, perhaps with a damaged file of saved states."""
        self.stepper.close(FinishReason.ABORTED)
        files = sorted(self.limits.folder.glob("*")) if self.limits.folder and self.limits.folder.exists() else []
        assert sum(path.stat().st_size for path in files) <= self.limits.disk_bytes
        if damage and files:
            content = bytearray(files[0].read_bytes())
            content[len(content) * damage // 4] ^= 1
            files[0].write_bytes(content)
        self.load()

    @invariant()
    def saved_states_add_up(self) -> None:
        """The data that are held are those in the books, and within the limit."""
        slots, carrier = self.stepper.scheduler.slots, self.stepper.carrier
        assert carrier.n_bytes == slots.cache.n_bytes(Place.MEMORY) <= self.limits.memory_bytes

    @invariant()
    def texts_are_those_of_a_fresh_cache(self) -> None:
        """Whatever was cached, saved, brought back or lost on the way."""
        for watched in self.work:
            request = watched.sequence.request
            full = self.backend.script.answer(self.backend.vocabulary.spell(list(request.prompt)))
            assert full.startswith(watched.text)
            for ending in (item for item in watched.items if isinstance(item, Ending)):
                if ending.reason is FinishReason.STOP:
                    assert full == watched.text
                elif ending.reason is FinishReason.LENGTH:
                    assert request.params.max_tokens == ending.n_output

    def teardown(self) -> None:
        """The files go last."""
        try:
            super().teardown()
        finally:
            self.home.cleanup()


TestCacheWork = CacheWork.TestCase
TestCacheWork.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)

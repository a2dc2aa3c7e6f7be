"""Random work with long prompts, so that slots are saved, copied, evicted and brought back; no text may change."""

from __future__ import annotations

import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from codeassistd.engine.backend import Backend, Batch, Logits
from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.prefix_cache import Place
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, SamplingParams, Token
from codeassistd.engine.scheduler import Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.slots import N_WORTH
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.errors import DecodeError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript

N_CTX = 400
HEAD = "shared by all\n" * 5
FILES = [HEAD + letter * (N_WORTH + 10) for letter in "pqrstu"] + ["v" * 3 * N_WORTH, "w" * 10]


class HashScript(FakeScript):
    """Each prompt has an answer of its own, so a token too many or too few in the cache shows."""

    def answer(self, prompt: str) -> str:
        """Some letters that depend on the whole prompt."""
        number = zlib.crc32(prompt.encode())
        return f"{number}"[: 1 + number % 9]


@dataclass
class Watched:
    """A sequence and all it was given."""

    sequence: Sequence
    items: list[Token | Ending] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, Token))


class CacheWork(RuleBasedStateMachine):
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
        self.work: list[Watched] = []
        self.load()

    def load(self) -> None:
        self.backend = FakeBackend(HashScript(), **self.size)  # type: ignore[arg-type]  # a table of any
        self.backend.load(lambda _share: True)
        self.stepper = Stepper(self.backend, FakeClock(), Totals(), self.decode, limits=self.limits)

    def decode(self, backend: Backend, _step: Step, batch: Batch) -> Logits | None:
        return backend.decode(batch)

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
        request = GenerateRequest(prompt, SamplingParams(max_tokens), priority, client)
        watched = Watched(Sequence(request, arrival=len(self.work)))
        watched.sequence.sink = watched.items.append
        self.work.append(watched)
        self.stepper.scheduler.add(watched.sequence)

    @rule(files=st.lists(st.sampled_from(FILES), min_size=1, max_size=6), client=st.sampled_from("xy"))
    def walk(self, files: list[str], client: str) -> None:
        """An editor goes through files and types a letter in each."""
        for file in files:
            self.submit(file, 0, "a", client, Priority.COMPLETION, 12)
            self.finish()

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def step(self) -> None:
        """One good step."""
        self.stepper.step()
        self.stepper.hand_out()

    @precondition(lambda self: self.stepper.has_work)
    @rule()
    def finish(self) -> None:
        """All the steps that are needed."""
        for _ in range(2_000):
            if not self.stepper.has_work:
                return
            self.step()
        raise AssertionError("the work does not end")

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

    @rule()
    def refuse_states(self) -> None:
        """From now on, or no longer, the backend takes no saved state."""
        self.backend.fail_restore = not self.backend.fail_restore

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """Someone goes away, ended or not."""
        if self.work:
            self.stepper.cancel({data.draw(st.sampled_from(self.work)).sequence})
            self.stepper.hand_out()

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
    def books_add_up(self) -> None:
        """Slots hold what the backend holds, and each sequence what it thinks."""
        slots, carrier = self.stepper.scheduler.slots, self.stepper.carrier
        slots.check_integrity()
        assert [] == self.backend.violations
        assert carrier.n_bytes == slots.cache.n_bytes(Place.MEMORY) <= self.limits.memory_bytes
        if not self.stepper._must_clear:
            assert [slots[i].tokens for i in range(len(slots))] == [self.backend.cells(i) for i in range(len(slots))]
        for sequence in self.stepper.scheduler:
            if sequence.slot is not None:
                assert slots[sequence.slot].tokens == sequence.tokens[: sequence.n_read]

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
        """Whatever is left comes to its end by itself."""
        if hasattr(self, "stepper"):
            if self.stepper.has_work:
                self.finish()
            self.texts_are_those_of_a_fresh_cache()
        self.home.cleanup()


TestCacheWork = CacheWork.TestCase
TestCacheWork.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)

"""A stepper on the scripted backend, and what its sequences were given; each step is checked against the cache."""

from __future__ import annotations

from codeassistd.engine.drafter import MakeDrafters
from codeassistd.engine.lookup_drafter import lookup_only
from codeassistd.engine.request import Ending, GenerateRequest, Token
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock

__all__ = ["StepperScene"]


class StepperScene:
    """The stepper is stepped by hand; every step must leave slots and backend with the same tokens."""

    def __init__(self, backend: FakeBackend, *, max_draft: int = 0, make_drafters: MakeDrafters = lookup_only) -> None:
        backend.load(lambda _share: True)
        self.backend = backend
        self.stepper = Stepper(
            backend,
            FakeClock(),
            Totals(),
            lambda backend, _step, batch: backend.decode(batch),
            make_drafters,
            max_draft=max_draft,
        )
        self.given: dict[Sequence, list[Token | Ending]] = {}

    def submit(self, asked: GenerateRequest) -> Sequence:
        """Queue a request."""
        sequence = Sequence(asked, arrival=len(self.given))
        items = self.given[sequence] = []
        sequence.sink = items.append
        self.stepper.scheduler.add(sequence)
        return sequence

    def run(self) -> None:
        """Step until nothing is left to do."""
        while self.stepper.has_work:
            self.step()

    def step(self) -> None:
        """One step, handed out and checked."""
        self.stepper.step()
        self.stepper.hand_out()
        self.stepper.scheduler.slots.check_integrity()
        slots = self.stepper.scheduler.slots
        assert [slots[i].tokens for i in range(len(slots))] == [self.backend.cells(i) for i in range(len(slots))]
        assert [] == self.backend.violations

    def text(self, sequence: Sequence) -> str:
        """What it has written."""
        return "".join(item.text for item in self.given[sequence] if isinstance(item, Token))

    def ending(self, sequence: Sequence) -> Ending:
        """Its one ending."""
        (ending,) = [item for item in self.given[sequence] if isinstance(item, Ending)]
        return ending

    @property
    def widths(self) -> list[int]:
        """Tokens of each step."""
        return [len(batch) for batch in self.backend.batches]

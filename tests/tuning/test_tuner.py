"""The rollout on a machine that is made up: what is tried, what is kept, and how it ends in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from codeassistd.config import ModelSettings, Settings
from codeassistd.daemon.tuned import BegunStep, TunedProfile, TypingSpeed
from codeassistd.errors import ModelLoadError
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.tuning.changes import Change
from codeassistd.tuning.tuner import Pairs, Plan, Tuner

DRAFT = Change("lookup-drafts", {"model.max_draft": "0"})
BATCH = Change("batch", {"model.n_batch": "256"})
SMALL = Change("batch", {"model.n_batch": "128"})
KEYS = Change("kv-types", {"model.kv_type_k": "q8_0"}, touches_text=True)


def settings_with(values: Mapping[str, str]) -> Settings:
    model = {key.removeprefix("model."): value for key, value in values.items()}
    return Settings(model=ModelSettings.model_validate(model))


@dataclass
class Machine:
    """Keys take as long as the settings say; everything that is measured is written down.

    Attributes:
        share: of the time that a value takes off, by its text.
        loss: what quality it costs.
        clock: goes on by a second with each block, where there is one.
    """

    share: Mapping[str, float] = field(default_factory=dict)
    loss: Mapping[str, float] = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    log: list[str] = field(default_factory=list)
    n_closed: int = 0
    keys_of_block: int = 10
    clock: FakeClock | None = None

    def _is_set(self, settings: Settings) -> list[str]:
        values = settings.model.model_dump(mode="json", exclude_unset=True)
        return [str(value) for value in values.values()]

    def _ms(self, settings: Settings) -> float:
        ms = 100.0
        for value in self._is_set(settings):
            ms *= self.share.get(value, 1.0)
        return ms

    def typing(self, settings: Settings) -> TypingSpeed:
        self.log.append("typing")
        return TypingSpeed(self._ms(settings), 3 * self._ms(settings), 100)

    def typing_both(self, before: Settings, after: Settings) -> tuple[TypingSpeed, TypingSpeed]:
        self.log.append("typing both")
        one, other = self._ms(before), self._ms(after)
        return TypingSpeed(one, 3 * one, 100), TypingSpeed(other, 3 * other, 100)

    def compare(self, before: Settings, after: Settings, first: int) -> Pairs:
        added = set(self._is_set(after)) - set(self._is_set(before))
        goes_on = f" from {first}" if first else ""
        self.log.append(f"compare {'+'.join(sorted(added))} on {'+'.join(self._is_set(before))}{goes_on}")
        if added & self.broken:
            raise ModelLoadError("no memory for that")
        try:
            while True:
                if self.clock is not None:
                    asyncio.run(self.clock.advance(1.0))
                yield [(self._ms(before), self._ms(after))] * self.keys_of_block
        finally:
            self.n_closed += 1

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        self.log.append(f"quality {'+'.join(self._is_set(settings))}")
        return [1.0 + sum(self.loss.get(value, 0.0) for value in self._is_set(settings))] * 20


class Scene:
    """A tuner on a machine, and all that it has kept."""

    def __init__(self, machine: Machine, stop_after: int = 10**6) -> None:
        self.machine = machine
        self.clock = machine.clock or FakeClock()
        self.kept: list[TunedProfile] = []
        self.told: list[str] = []
        self._n_asked = 0
        self._stop_after = stop_after
        self.tuner = Tuner(machine, self.clock, self.kept.append, self._tell, self._must_stop)

    def run(
        self, *changes: Change, profile: TunedProfile | None = None, budget_s: float = 1e9
    ) -> tuple[TunedProfile, str]:
        return self.tuner.run(profile or TunedProfile("m", "here"), Plan(settings_with, changes, budget_s))

    def _tell(self, what: str, detail: str) -> None:
        self.told.append(f"{what} {detail}".strip())

    def _must_stop(self) -> str:
        self._n_asked += 1
        return "an editor has connected" if self._n_asked > self._stop_after else ""


def test_what_helps_is_kept_and_the_next_is_measured_on_top() -> None:
    """The first halves the time, the second adds to it, the third takes it back."""
    machine = Machine({"0": 0.5, "256": 1.3, "128": 0.9})
    profile, why = Scene(machine).run(DRAFT, BATCH, SMALL)
    assert ("", True) == (why, profile.is_complete)
    assert [True, False, True] == [step.is_kept for step in profile.steps]
    assert {"model.max_draft": "0", "model.n_batch": "128"} == profile.values
    assert ["typing", "compare 0 on ", "compare 256 on 0", "compare 128 on 0", "typing both"] == machine.log
    assert [(100.0, 50.0), (50.0, 65.0), (50.0, 45.0)] == [(step.before_ms, step.after_ms) for step in profile.steps]
    assert (100.0, pytest.approx(45.0)) == (profile.before.p50_ms, profile.after.p50_ms)  # type: ignore[union-attr]  # both are there
    assert 3 == machine.n_closed


def test_what_touches_the_text_must_not_cost_quality() -> None:
    """Twice as fast, but the model knows less: rolled back, with the reason. The untuned run is what counts."""
    for loss, is_kept in ((0.0, True), (0.2, False)):
        machine = Machine({"q8_0": 0.5}, {"q8_0": loss})
        profile, _ = Scene(machine).run(KEYS)
        (step,) = profile.steps
        assert (is_kept, pytest.approx(loss)) == (step.is_kept, step.nll_change)
        assert "quality" in step.reason
        assert ["compare q8_0 on ", "quality ", "quality q8_0"] == machine.log[1:4]


def test_quality_is_not_looked_at_where_nothing_is_gained() -> None:
    """It takes long, and what is not faster is not kept anyway."""
    machine = Machine({"q8_0": 1.0})
    profile, _ = Scene(machine).run(KEYS)
    assert not [line for line in machine.log if line.startswith("quality")]
    assert None is profile.steps[0].nll_change


def test_what_does_not_work_here_is_an_answer() -> None:
    """One line of the cause, and the rest goes on."""
    machine = Machine({"128": 0.5}, broken=frozenset({"256"}))
    profile, why = Scene(machine).run(BATCH, SMALL)
    assert ("it does not work here: no memory for that", True) == (profile.steps[0].reason, profile.steps[1].is_kept)
    assert "" == why


def test_where_no_key_asks_the_model_a_change_is_not_kept() -> None:
    """And the typing comes to an end, which it would never by the keys."""
    profile, why = Scene(Machine({"0": 0.5}, keys_of_block=0)).run(DRAFT)
    (step,) = profile.steps
    assert (False, "no key had to ask the model under both", "") == (step.is_kept, step.reason, why)


def test_each_step_is_kept_at_once() -> None:
    """And each block of keys, so that a crash or Ctrl-C costs the block at work and no more."""
    scene = Scene(Machine({"0": 0.5}, keys_of_block=15))
    scene.run(DRAFT, BATCH)
    assert [0, 0, 0, 1, 1, 1, 2, 2] == [len(profile.steps) for profile in scene.kept]
    assert [0, 15, 30, 0, 15, 30, 0, 0] == [len(profile.begun.pairs) if profile.begun else 0 for profile in scene.kept]
    assert [False] * 7 + [True] == [profile.is_complete for profile in scene.kept]


def test_an_editor_ends_it_in_the_middle_of_a_step() -> None:
    """At once, without a last measurement; the next run goes on with the very keys that are left."""
    scene = Scene(Machine({"0": 0.5, "256": 0.5}), stop_after=5)
    profile, why = scene.run(DRAFT, BATCH)
    assert ("an editor has connected", ["lookup-drafts"]) == (why, [step.step for step in profile.steps])
    begun = BegunStep("batch", {"model.n_batch": "256"}, 2, ((50.0, 25.0),) * 20)
    assert (begun, None) == (profile.begun, profile.after)
    machine = Machine({"0": 0.5, "256": 0.5})
    finished, why = Scene(machine).run(DRAFT, BATCH, profile=profile)
    assert ["compare 256 on 0 from 2", "typing both"] == machine.log
    assert ("", {"model.max_draft": "0", "model.n_batch": "256"}) == (why, finished.values)
    assert (30, None) == (finished.steps[1].n_pairs, finished.begun)


def test_the_time_is_up_within_a_step_too() -> None:
    """What was tried by then is told with how fast it is; with no time at all the baseline alone is measured."""
    scene = Scene(Machine())
    profile, why = scene.run(DRAFT, budget_s=0.0)
    assert ("the time is up", (), False) == (why, profile.steps, profile.is_complete)
    assert profile.before is not None
    profile, why = Scene(Machine({"0": 0.5}, clock=FakeClock())).run(DRAFT, BATCH, budget_s=4.5)
    assert ("the time is up", False) == (why, profile.is_complete)
    assert (2, 50.0) == (profile.begun and profile.begun.n_blocks, profile.after and profile.after.p50_ms)


def test_what_an_earlier_step_has_set_is_not_typed_again() -> None:
    """Two that are the same could differ by chance alone."""
    machine = Machine({"256": 0.5})
    again = Change("threads", {"model.n_batch": "256"})
    profile, _ = Scene(machine).run(BATCH, again)
    assert [(True, "batch"), (False, "threads")] == [(step.is_kept, step.step) for step in profile.steps]
    assert "an earlier step has set it so already" == profile.steps[1].reason
    assert ["typing", "compare 256 on ", "typing both"] == machine.log


def test_nothing_kept_is_as_fast_as_before() -> None:
    """And is not measured again."""
    machine = Machine()
    profile, _ = Scene(machine).run(DRAFT)
    assert (profile.before, ["typing", "compare 0 on "]) == (profile.after, machine.log)


def test_it_tells_how_far_it_is() -> None:
    """What begins, and the keys within it, since one change takes minutes."""
    scene = Scene(Machine())
    scene.run(DRAFT)
    change = "lookup-drafts: model.max_draft=0"
    assert [
        "typing as it is",
        f"{change} (0 of 1 changes done)",
        *(f"{change} ({n_keys} keys typed)" for n_keys in (10, 20, 30)),
    ] == scene.told

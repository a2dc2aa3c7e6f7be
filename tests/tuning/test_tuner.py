"""The rollout on a machine that is made up: what is tried, what is kept, and how it ends in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from codeassistd.config import ModelSettings, Settings
from codeassistd.daemon.tuned import BegunStep, TunedProfile, TypingSpeed, WholeTried
from codeassistd.errors import ModelLoadError
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.tuning.changes import Change
from codeassistd.tuning.tuner import Plan, Stretches, Tuner

WHOLE_FROM = 100
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
        clock: goes on by a second with each stretch, where there is one.
        is_vain: whether all that was kept comes out as fast as nothing, typed together.
    """

    share: Mapping[str, float] = field(default_factory=dict)
    loss: Mapping[str, float] = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    log: list[str] = field(default_factory=list)
    n_closed: int = 0
    keys_of_stretch: int = 10
    is_vain: bool = False
    clock: FakeClock | None = None

    def _is_set(self, settings: Settings) -> list[str]:
        values = settings.model.model_dump(mode="json", exclude_unset=True)
        return [str(value) for value in values.values()]

    def _ms(self, settings: Settings) -> float:
        ms = 100.0
        for value in self._is_set(settings):
            ms *= self.share.get(value, 1.0)
        return ms

    def speeds(self, *settings: Settings) -> list[TypingSpeed]:
        self.log.append("typing" if len(settings) == 1 else "typing both")
        return [TypingSpeed(self._ms(each), 3 * self._ms(each), 100) for each in settings]

    def compare(self, before: Settings, after: Settings, first: int) -> Stretches:
        is_set = self._is_set(before)
        added = [value for value in self._is_set(after) if value not in is_set]
        goes_on = f" from {first}" if first else ""
        self.log.append(f"compare {'+'.join(sorted(added))} on {'+'.join(is_set)}{goes_on}")
        if self.broken.intersection(added):
            raise ModelLoadError("no memory for that")
        try:
            while True:
                if self.clock is not None:
                    asyncio.run(self.clock.advance(1.0))
                after_ms = self._ms(before) if first >= WHOLE_FROM and self.is_vain else self._ms(after)
                yield [(self._ms(before), after_ms)] * self.keys_of_stretch
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
    assert [
        "typing",
        "compare 0 on ",
        "compare 256 on 0",
        "compare 128 on 0",
        "compare 0+128 on  from 100",
        "typing both",
    ] == machine.log
    assert [(100.0, 50.0), (50.0, 65.0), (50.0, 45.0)] == [(step.before_ms, step.after_ms) for step in profile.steps]
    assert (100.0, pytest.approx(45.0)) == (profile.before.p50_ms, profile.after.p50_ms)  # type: ignore[union-attr]  # both are there
    assert WholeTried(pytest.approx(0.45), pytest.approx(0.45), pytest.approx(0.45), 160) == profile.whole
    assert 4 == machine.n_closed


@pytest.mark.parametrize("is_vain", [True, False])
def test_what_is_not_faster_together_is_taken_back(is_vain: bool) -> None:  # noqa: FBT001 - a case
    """The last kept first, until what is left is faster than the untuned settings; nothing may be left.

    Nothing of it is tried again, and the figures say that all is as it was.
    """
    machine = Machine({"0": 0.5, "256": 0.9}, is_vain=is_vain)
    profile, why = Scene(machine).run(DRAFT, BATCH)
    assert ("", True) == (why, profile.is_complete)
    if not is_vain:
        assert {"model.max_draft": "0", "model.n_batch": "256"} == profile.values
        return
    assert ({}, None, profile.before) == (profile.values, profile.whole, profile.after)
    assert ["compare 0+256 on  from 100", "compare 0 on  from 100"] == machine.log[-2:]
    reasons = [step.reason for step in profile.steps]
    together = "taken back: all that was kept together was not faster beyond noise: 1.00 of the time"
    assert [True, True] == [reason.startswith(together) for reason in reasons]
    assert reasons[0].endswith("; was: faster: 0.50 of the time (0.50 to 0.50, 160 keys)")
    machine.log.clear()
    assert (profile, "") == Scene(machine).run(DRAFT, BATCH, profile=profile)
    assert [] == machine.log


def test_what_was_checked_together_is_not_checked_again() -> None:
    """A second look would take a good profile back by chance now and then; a further step is a reason to look."""
    machine = Machine({"0": 0.5, "256": 0.5})
    profile, _ = Scene(machine).run(DRAFT)
    machine.log.clear()
    profile, _ = Scene(machine).run(DRAFT, SMALL, profile=profile)
    assert ["compare 128 on 0", "typing both"] == machine.log
    machine.log.clear()
    Scene(machine).run(DRAFT, SMALL, BATCH, profile=profile)
    assert ["compare 256 on 0", "compare 0+256 on  from 100", "typing both"] == machine.log


def test_an_editor_ends_the_last_comparison_too() -> None:
    """What was typed of it by then counts when it goes on."""
    scene = Scene(Machine({"0": 0.5}), stop_after=27)
    profile, why = scene.run(DRAFT)
    assert ("an editor has connected", False) == (why, profile.is_complete)
    assert profile.begun is not None
    assert ("all that was kept", {"model.max_draft": "0"}) == (profile.begun.step, profile.begun.values)
    n_typed = len(profile.begun.stretches)
    assert 0 < n_typed < 16
    machine = Machine({"0": 0.5})
    finished, why = Scene(machine).run(DRAFT, profile=profile)
    assert ("", True, None) == (why, finished.is_complete, finished.begun)
    assert [f"compare 0 on  from {100 + n_typed}", "typing both"] == machine.log


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
    profile, why = Scene(Machine({"0": 0.5}, keys_of_stretch=0)).run(DRAFT)
    (step,) = profile.steps
    assert (False, "not faster beyond noise: no key asked the model under both", "") == (step.is_kept, step.reason, why)


def test_each_step_is_kept_at_once() -> None:
    """And each stretch of keys, so that a crash or Ctrl-C costs the stretch at work and no more."""
    scene = Scene(Machine({"256": 1.5, "128": 1.5}))
    scene.run(BATCH, SMALL)
    assert [0] * 9 + [1] * 9 + [2] * 2 == [len(profile.steps) for profile in scene.kept]
    assert [*range(9), *range(9), 0, 0] == [
        len(profile.begun.stretches) if profile.begun else 0 for profile in scene.kept
    ]
    assert [False] * 19 + [True] == [profile.is_complete for profile in scene.kept]


def test_an_editor_ends_it_in_the_middle_of_a_step() -> None:
    """At once, without a last measurement; the next run goes on with the very keys that are left."""
    scene = Scene(Machine({"0": 0.5, "256": 0.5}), stop_after=27)
    profile, why = scene.run(DRAFT, BATCH)
    assert ("an editor has connected", ["lookup-drafts"]) == (why, [step.step for step in profile.steps])
    begun = BegunStep("batch", {"model.n_batch": "256"}, (((50.0, 25.0),) * 10,) * 3)
    assert (begun, None) == (profile.begun, profile.after)
    machine = Machine({"0": 0.5, "256": 0.5})
    finished, why = Scene(machine).run(DRAFT, BATCH, profile=profile)
    assert ["compare 256 on 0 from 3", "compare 0+256 on  from 100", "typing both"] == machine.log
    assert ("", {"model.max_draft": "0", "model.n_batch": "256"}) == (why, finished.values)
    assert (160, None) == (finished.steps[1].n_pairs, finished.begun)


def test_the_time_is_up_within_a_step_too() -> None:
    """What was tried by then is told with how fast it is; with no time at all the baseline alone is measured."""
    scene = Scene(Machine())
    profile, why = scene.run(DRAFT, budget_s=0.0)
    assert ("the time is up", (), False) == (why, profile.steps, profile.is_complete)
    assert profile.before is not None
    profile, why = Scene(Machine({"0": 0.5}, clock=FakeClock())).run(DRAFT, BATCH, budget_s=26.5)
    assert ("the time is up", False) == (why, profile.is_complete)
    begun = BegunStep("batch", {"model.n_batch": "256"}, (((50.0, 50.0),) * 10,) * 3)
    assert (begun, 50.0) == (profile.begun, profile.after and profile.after.p50_ms)
    assert profile.whole is not None


def test_what_an_earlier_step_has_set_is_not_typed_again() -> None:
    """Two that are the same could differ by chance alone."""
    machine = Machine({"256": 0.5})
    again = Change("threads", {"model.n_batch": "256"})
    profile, _ = Scene(machine).run(BATCH, again)
    assert [(True, "batch"), (False, "threads")] == [(step.is_kept, step.step) for step in profile.steps]
    assert "an earlier step has set it so already" == profile.steps[1].reason
    assert ["typing", "compare 256 on ", "compare 256 on  from 100", "typing both"] == machine.log


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
        *(f"{change} ({10 * n_typed} keys typed in {n_typed} stretches)" for n_typed in range(1, 9)),
    ] == scene.told

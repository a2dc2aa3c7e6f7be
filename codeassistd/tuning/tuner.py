"""The staged rollout: one change at a time, measured against what is in force, kept or rolled back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from codeassistd.clock import Clock
from codeassistd.config import Settings
from codeassistd.daemon.tuned import TunedProfile, TunedStep, TypingSpeed
from codeassistd.errors import CodeassistdError
from codeassistd.tuning.changes import Change
from codeassistd.tuning.judgement import judge_loss, judge_speed

__all__ = ["Measure", "Pairs", "Plan", "Tuner"]

_MAX_BLOCKS = 120
"""Of keys that are typed with one change: where hardly any of them asks the model there is nothing to decide by."""

Pairs = Generator[Sequence[tuple[float, float]], None, None]
"""Times for keys in milliseconds, without a change and with it, block by block."""


class Measure(Protocol):
    """What is measured, on this machine and with the model; blocks."""

    def typing(self, settings: Settings) -> TypingSpeed:
        """How fast keys are answered.

        Raises:
            CodeassistdError: the model cannot be loaded so, or a step failed.
        """

    def compare(self, before: Settings, after: Settings) -> Pairs:
        """Type the same with both, block by block, until it is closed; raises like `typing`."""

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        """How unlikely the true continuations are at set places, in nats a token; raises like `typing`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to try.

    Attributes:
        settings_with: the settings with the values of a profile.
        changes: in order.
        budget_s: no change is begun after that time.
    """

    settings_with: Callable[[Mapping[str, str]], Settings]
    changes: Sequence[Change]
    budget_s: float


class Tuner:
    """Runs a plan.

    Args:
        measure: what is measured.
        clock: for the budget.
        keep: called with the profile after each step, so that nothing that was finished is lost.
        tell: called with what begins or goes on, and with how far it is.
        must_stop: a reason to end now, such as an editor that has connected; empty for none.
    """

    def __init__(
        self,
        measure: Measure,
        clock: Clock,
        keep: Callable[[TunedProfile], None],
        tell: Callable[[str, str], None],
        must_stop: Callable[[], str],
    ) -> None:
        self._measure = measure
        self._clock = clock
        self._keep = keep
        self._tell = tell
        self._must_stop = must_stop

    def run(self, profile: TunedProfile, plan: Plan) -> tuple[TunedProfile, str]:
        """Go on from a profile; answers the new one, and why not all was tried, or an empty text.

        Raises:
            CodeassistdError: the settings in force cannot be measured.
        """
        begun_s = self._clock.monotonic_s()
        changes = [change for change in plan.changes if not profile.has_tried(change.step, change.values)]
        if profile.before is None:
            self._tell("typing as it is", "")
            profile = self._kept(replace(profile, before=self._measure.typing(plan.settings_with({}))))
        untuned: Sequence[float] = ()
        for n_done, change in enumerate(changes):
            reason = self._must_stop()
            if not reason and self._clock.monotonic_s() - begun_s >= plan.budget_s:
                reason = "the time is up"
            if reason:
                return profile, reason
            self._tell(f"{change.step}: {change.name}", f"({n_done} of {len(changes)} changes done)")
            if change.touches_text and not untuned:
                untuned = self._measure.truth_nll(plan.settings_with({}))
            step = self._tried(change, profile.values, plan, untuned)
            if isinstance(step, str):
                return profile, step
            profile = self._kept(profile.with_step(step))
        self._tell("typing as tuned", "")
        after = self._measure.typing(plan.settings_with(profile.values)) if profile.values else profile.before
        return self._kept(replace(profile, after=after, is_complete=True)), ""

    def _tried(
        self, change: Change, values: Mapping[str, str], plan: Plan, untuned: Sequence[float]
    ) -> TunedStep | str:
        """Try one change on top of what is in force; a reason to stop in the middle, if there was one."""
        before, after = plan.settings_with(values), plan.settings_with({**values, **change.values})
        pairs: list[tuple[float, float]] = []
        try:
            speed = judge_speed(pairs)
            with contextlib.closing(self._measure.compare(before, after)) as blocks:
                for block in islice(blocks, _MAX_BLOCKS):
                    pairs += block
                    speed = judge_speed(pairs)
                    self._tell(f"{change.step}: {change.name}", f"({len(pairs)} keys typed)")
                    if speed.is_decided:
                        break
                    if reason := self._must_stop():
                        return reason
            loss = None
            if speed.is_better and change.touches_text:
                loss = judge_loss(untuned, self._measure.truth_nll(after))
        except CodeassistdError as error:
            # A change that this machine or model cannot do is an answer too.
            return TunedStep(change.step, change.values, is_kept=False, reason=f"it does not work here: {error}")
        is_kept = speed.is_better and not (loss is not None and loss.is_too_much)
        ratio = speed.ratio
        return TunedStep(
            step=change.step,
            values=change.values,
            is_kept=is_kept,
            reason="; ".join([speed.words, *([loss.words] if loss is not None else [])]),
            ratio=None if ratio is None else ratio.value,
            low=None if ratio is None else ratio.interval.low,
            high=None if ratio is None else ratio.interval.high,
            n_pairs=0 if ratio is None else ratio.n_pairs,
            nll_change=None if loss is None else loss.change,
        )

    def _kept(self, profile: TunedProfile) -> TunedProfile:
        self._keep(profile)
        return profile

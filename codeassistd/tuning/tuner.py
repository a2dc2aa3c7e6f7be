"""The staged rollout: one change at a time, measured against what is in force, kept or rolled back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from codeassistd.clock import Clock
from codeassistd.config import Settings
from codeassistd.daemon.tuned import BegunStep, TunedProfile, TunedStep, TypingSpeed
from codeassistd.errors import CodeassistdError
from codeassistd.metrics.stats import median
from codeassistd.tuning.changes import Change
from codeassistd.tuning.judgement import judge_loss, judge_speed

__all__ = ["Measure", "Pairs", "Plan", "Tuner"]

_MAX_BLOCKS = 24
"""Of keys that are typed with one change: two minutes with a small model on two cores. Where hardly any of them asks
the model there is nothing to decide by."""

_TIME_IS_UP = "the time is up"

Pairs = Generator[Sequence[tuple[float, float]], None, None]
"""Times for keys in milliseconds, without a change and with it, block by block."""


class Measure(Protocol):
    """What is measured, on this machine and with the model; blocks."""

    def typing(self, settings: Settings) -> TypingSpeed:
        """How fast keys are answered.

        Raises:
            CodeassistdError: the model cannot be loaded so, or a step failed.
        """

    def typing_both(self, before: Settings, after: Settings) -> tuple[TypingSpeed, TypingSpeed]:
        """The same with both, each key by turns, so that the machine was the same for both; raises like `typing`."""

    def compare(self, before: Settings, after: Settings, first: int) -> Pairs:
        """Type the same with both, from the block `first` on, until it is closed; raises like `typing`."""

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        """How unlikely the true continuations are at set places, in nats a token; raises like `typing`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to try.

    Attributes:
        settings_with: the settings with the values of a profile.
        changes: in order.
        budget_s: after that time nothing more is tried.
    """

    settings_with: Callable[[Mapping[str, str]], Settings]
    changes: Sequence[Change]
    budget_s: float


class Tuner:
    """Runs a plan.

    Args:
        measure: what is measured.
        clock: for the budget.
        keep: called with the profile after each step and each block of keys, so that nothing that was measured is lost.
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
        self._end_s = 0.0
        self._untuned: Sequence[float] = ()

    def run(self, profile: TunedProfile, plan: Plan) -> tuple[TunedProfile, str]:
        """Go on from a profile; answers the new one, and why not all was tried, or an empty text.

        Raises:
            CodeassistdError: the settings in force cannot be measured.
        """
        self._end_s = self._clock.monotonic_s() + plan.budget_s
        changes = [change for change in plan.changes if not profile.has_tried(change.step, change.values)]
        if profile.before is None:
            self._tell("typing as it is", "")
            profile = self._kept(replace(profile, before=self._measure.typing(plan.settings_with({}))))
        reason = ""
        for n_done, change in enumerate(changes):
            reason = self._reason()
            if reason:
                break
            self._tell(f"{change.step}: {change.name}", f"({n_done} of {len(changes)} changes done)")
            profile, reason = self._tried(change, profile, plan)
            if reason:
                break
        if reason and reason != _TIME_IS_UP:
            return profile, reason
        return self._kept(replace(self._measured(profile, plan), is_complete=not reason)), reason

    def _measured(self, profile: TunedProfile, plan: Plan) -> TunedProfile:
        """With typing before and after, both of now: since the run began, the machine may have changed."""
        if not profile.values:
            return replace(profile, after=profile.before)
        self._tell("typing as it was and as tuned", "")
        before, after = self._measure.typing_both(plan.settings_with({}), plan.settings_with(profile.values))
        return replace(profile, before=before, after=after)

    def _reason(self) -> str:
        """Why to end now; empty for no reason."""
        return self._must_stop() or (_TIME_IS_UP if self._clock.monotonic_s() >= self._end_s else "")

    def _tried(self, change: Change, profile: TunedProfile, plan: Plan) -> tuple[TunedProfile, str]:
        """Try one change on top of what is in force, and why to stop in the middle, if there was a reason."""
        before, after = (
            plan.settings_with(profile.values),
            plan.settings_with({**profile.values, **change.values}),
        )
        if before == after:
            reason = "an earlier step has set it so already"
            return self._kept(
                profile.with_step(TunedStep(change.step, change.values, is_kept=False, reason=reason))
            ), ""
        try:
            profile, reason = self._typed(change, profile, before, after)
            if reason:
                return profile, reason
            step = self._judged(change, profile.begun_with(change.step, change.values).pairs, plan, after)
        except CodeassistdError as error:
            # A change that this machine or model cannot do is an answer too.
            reason = f"it does not work here: {error}"
            step = TunedStep(change.step, change.values, is_kept=False, reason=reason)
        return self._kept(profile.with_step(step)), ""

    def _typed(
        self, change: Change, profile: TunedProfile, before: Settings, after: Settings
    ) -> tuple[TunedProfile, str]:
        """Type until it is decided, or there is a reason to stop."""
        begun = profile.begun_with(change.step, change.values)
        with contextlib.closing(self._measure.compare(before, after, begun.n_blocks)) as blocks:
            while begun.n_blocks < _MAX_BLOCKS and not judge_speed(begun.pairs).is_decided:
                block = next(blocks)
                begun = BegunStep(begun.step, begun.values, begun.n_blocks + 1, (*begun.pairs, *block))
                profile = self._kept(replace(profile, begun=begun))
                self._tell(f"{change.step}: {change.name}", f"({len(begun.pairs)} keys typed)")
                if not judge_speed(begun.pairs).is_decided and (reason := self._reason()):
                    return profile, reason
        return profile, ""

    def _judged(self, change: Change, pairs: Sequence[tuple[float, float]], plan: Plan, after: Settings) -> TunedStep:
        """Whether what was typed, and what it costs in quality, let the change be kept."""
        speed, loss = judge_speed(pairs), None
        if speed.is_better and change.touches_text:
            self._untuned = self._untuned or self._measure.truth_nll(plan.settings_with({}))
            loss = judge_loss(self._untuned, self._measure.truth_nll(after))
        ratio = speed.ratio
        return TunedStep(
            step=change.step,
            values=change.values,
            is_kept=speed.is_better and not (loss is not None and loss.is_too_much),
            reason="; ".join([speed.words, *([loss.words] if loss is not None else [])]),
            ratio=None if ratio is None else ratio.value,
            low=None if ratio is None else ratio.interval.low,
            high=None if ratio is None else ratio.interval.high,
            n_pairs=0 if ratio is None else ratio.n_pairs,
            nll_change=None if loss is None else loss.change,
            before_ms=median([without for without, _ in pairs]),
            after_ms=median([with_it for _, with_it in pairs]),
        )

    def _kept(self, profile: TunedProfile) -> TunedProfile:
        self._keep(profile)
        return profile

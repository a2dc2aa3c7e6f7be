"""The staged rollout: one change at a time, measured against what is in force, kept or rolled back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from codeassistd.clock import Clock
from codeassistd.config import Settings
from codeassistd.daemon.tuned import WHOLE, BegunStep, TunedProfile, TunedStep, TypingSpeed, WholeTried, spelled
from codeassistd.errors import CodeassistdError
from codeassistd.metrics.stats import median
from codeassistd.tuning.changes import Change
from codeassistd.tuning.judgement import Pairs, Trial, judge_loss, judge_trial, judge_whole

__all__ = ["Comparison", "Measure", "Plan", "Stretches", "Tuner"]

_WHOLE_FROM = 100
"""Number of the first stretch that all that was kept is typed at: beyond those that decided what is kept."""

_TIME_IS_UP = "the time is up"

Stretches = Generator[Pairs, None, None]
"""Times for keys, stretch by stretch."""


class Measure(Protocol):
    """What is measured, on this machine and with the model; blocks."""

    def speeds(self, *settings: Settings) -> Sequence[TypingSpeed]:
        """How fast keys are answered with each; all type the same keys, one by turns, so on the same machine.

        Raises:
            CodeassistdError: the model cannot be loaded so, or a step failed.
        """

    def compare(self, before: Settings, after: Settings, first: int) -> Stretches:
        """Type the same with both, stretch by stretch from number `first` on, until it is closed; raises like `speeds`.

        Gives the times for keys that asked the model under both.
        """

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        """How unlikely the true continuations are at set places, in nats a token; raises like `speeds`."""


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two ways are compared.

    Attributes:
        judge: what the stretches so far say.
        reason: to stop before it is decided; empty for none.
    """

    judge: Callable[[Sequence[Pairs]], Trial]
    reason: Callable[[], str]


class Tuner:
    """Runs a plan.

    Args:
        measure: what is measured.
        clock: for the budget.
        keep: called with the profile after each step and each stretch of keys, so that nothing measured is lost.
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
            (speed,) = self._measure.speeds(plan.settings_with({}))
            profile = self._kept(replace(profile, before=speed))
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
        profile, stopped = self._checked(profile, plan)
        if stopped:
            return profile, stopped
        return self._kept(replace(self._measured(profile, plan), is_complete=not reason)), reason

    def _checked(self, profile: TunedProfile, plan: Plan) -> tuple[TunedProfile, str]:
        """Take the last kept steps back until what is left is faster than the untuned settings, all of it together.

        Goes on when the time is up, for what is slower must not stay; answers why to stop all the same.
        """
        interrupted = None if profile.begun is None or profile.begun.step == WHOLE else profile.begun
        while profile.values and profile.whole is None:
            before, after = plan.settings_with({}), plan.settings_with(profile.values)
            begun = profile.begun_with(WHOLE, profile.values)
            with contextlib.closing(self._measure.compare(before, after, _WHOLE_FROM + len(begun.stretches))) as typed:
                profile, trial, reason = self._typed(begun, profile, typed, Comparison(judge_whole, self._must_stop))
            if reason:
                return profile, reason
            if trial.is_better and trial.ratio is not None:
                whole = WholeTried(
                    trial.ratio.value, trial.ratio.interval.low, trial.ratio.interval.high, trial.ratio.n_pairs
                )
                profile = self._kept(replace(profile, whole=whole, begun=interrupted))
            else:
                interrupted = None  # it was typed on top of what is taken back
                profile = self._kept(profile.taken_back(f"taken back: {WHOLE} together was {trial.words}"))
        return profile, ""

    def _measured(self, profile: TunedProfile, plan: Plan) -> TunedProfile:
        """With typing before and after, both of now: since the run began, the machine may have changed."""
        if not profile.values:
            return replace(profile, after=profile.before)
        self._tell("typing as it was and as tuned", "")
        before, after = self._measure.speeds(plan.settings_with({}), plan.settings_with(profile.values))
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
        begun = profile.begun_with(change.step, change.values)
        try:
            with contextlib.closing(self._measure.compare(before, after, len(begun.stretches))) as typed:
                profile, trial, reason = self._typed(begun, profile, typed, Comparison(judge_trial, self._reason))
            if reason:
                return profile, reason
            step = self._judged(change, trial, plan, after)
        except CodeassistdError as error:
            # A change that this machine or model cannot do is an answer too.
            reason = f"it does not work here: {error}"
            step = TunedStep(change.step, change.values, is_kept=False, reason=reason)
        return self._kept(profile.with_step(step)), ""

    def _typed(
        self, begun: BegunStep, profile: TunedProfile, typed: Stretches, comparison: Comparison
    ) -> tuple[TunedProfile, Trial, str]:
        """Type until it is decided, or there is a reason to stop."""
        what = f"{begun.step}: {spelled(begun.values)}"
        trial = comparison.judge(begun.stretches)
        while not trial.is_decided:
            begun = begun.with_stretch(next(typed))
            profile = self._kept(replace(profile, begun=begun))
            n_keys = sum(map(len, begun.stretches))
            self._tell(what, f"({n_keys} keys typed in {len(begun.stretches)} stretches)")
            trial = comparison.judge(begun.stretches)
            if not trial.is_decided and (reason := comparison.reason()):
                return profile, trial, reason
        return profile, trial, ""

    def _judged(self, change: Change, trial: Trial, plan: Plan, after: Settings) -> TunedStep:
        """Whether what was typed, and what it costs in quality, let the change be kept."""
        loss = None
        if trial.is_better and change.touches_text:
            self._untuned = self._untuned or self._measure.truth_nll(plan.settings_with({}))
            loss = judge_loss(self._untuned, self._measure.truth_nll(after))
        ratio = trial.ratio
        return TunedStep(
            step=change.step,
            values=change.values,
            is_kept=trial.is_better and not (loss is not None and loss.is_too_much),
            reason="; ".join([trial.words, *([loss.words] if loss is not None else [])]),
            ratio=None if ratio is None else ratio.value,
            low=None if ratio is None else ratio.interval.low,
            high=None if ratio is None else ratio.interval.high,
            n_pairs=len(trial.pairs),
            nll_change=None if loss is None else loss.change,
            before_ms=median([without for without, _ in trial.pairs]),
            after_ms=median([with_it for _, with_it in trial.pairs]),
        )

    def _kept(self, profile: TunedProfile) -> TunedProfile:
        self._keep(profile)
        return profile

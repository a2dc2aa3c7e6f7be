"""Whether a change is kept: by keys that were typed with it and without it, and by what it costs in quality. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.evals.paired import paired
from codeassistd.metrics.stats import Ratio, paired_ratio

__all__ = ["MAX_LOSS", "N_LEAST", "N_MOST", "Loss", "Speed", "judge_loss", "judge_speed"]

N_LEAST = 30
"""Pairs of keys before anything is concluded: single ones differ by a third."""

N_MOST = 72
"""Pairs after which a change that is still not clearly faster is not worth having."""

_WORTH = 0.98
"""A change that saves less of the time for a key is not worth what it may break."""

MAX_LOSS = 0.03
"""Most that a change may cost, in nats a token: a tenth of what the needed definitions in the prompt are worth. Both
ends of the interval count, so where little is known nothing is risked."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What typing says so far.

    Attributes:
        ratio: time with the change to time without; None without pairs.
        is_decided: whether more pairs would be a waste.
        is_better: whether it is faster beyond noise; not before it is decided.
    """

    ratio: Ratio | None
    is_decided: bool
    is_better: bool

    @property
    def words(self) -> str:
        """The reason in one line."""
        if self.ratio is None:
            return "no key had to ask the model under both"
        value, low, high = self.ratio.value, self.ratio.interval.low, self.ratio.interval.high
        measured = f"{value:.2f} of the time ({low:.2f} to {high:.2f}, {self.ratio.n_pairs} keys)"
        if not self.is_decided:
            return f"too few keys asked the model under both: {measured}"
        return f"faster: {measured}" if self.is_better else f"not faster beyond noise: {measured}"


@dataclass(frozen=True, slots=True)
class Loss:
    """What the model knows less of the true continuations than in the untuned run.

    Attributes:
        change: in nats a token; below 0 it knows more. None without cases.
        high: upper end of its interval.
    """

    change: float | None
    high: float | None

    @property
    def is_too_much(self) -> bool:
        """Whether it may be more than the bound."""
        return self.high is None or self.high > MAX_LOSS

    @property
    def words(self) -> str:
        """In one line."""
        if self.change is None or self.high is None:
            return "its quality could not be looked at"
        measured = f"{self.change:+.3f} nats a token (at most {self.high:+.3f}, bound {MAX_LOSS:+.3f})"
        return f"perhaps too much quality lost: {measured}" if self.is_too_much else f"quality kept: {measured}"


def judge_speed(pairs: Sequence[tuple[float, float]]) -> Speed:
    """Judge the times for keys, each without the change and with it."""
    usable = [(before, after) for before, after in pairs if before > 0 and after > 0]
    if not usable:
        return Speed(None, is_decided=len(pairs) >= N_MOST, is_better=False)
    ratio = paired_ratio([after for _, after in usable], [before for before, _ in usable])
    is_better = ratio.value <= _WORTH and ratio.interval.high < 1.0
    is_clear = ratio.interval.high < _WORTH or ratio.interval.low > _WORTH
    is_decided = len(usable) >= N_MOST or (len(usable) >= N_LEAST and is_clear)
    return Speed(ratio, is_decided, is_decided and is_better)


def judge_loss(untuned: Sequence[float], changed: Sequence[float]) -> Loss:
    """Judge the likelihoods (negative, in nats a token) of the same continuations."""
    found = paired(untuned, changed)
    return Loss(found.change, found.high)

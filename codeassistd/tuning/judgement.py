"""Whether a change is kept: by keys that were typed with it and without it, and by what it costs in quality. Pure.

Keys come in stretches, each at one place of one file. The keys of a stretch depend on each other (one prompt, one slow
moment of the machine), so a stretch is one value: the middle one of its keys' ratios, as a logarithm. Many changes are
tried, and the luckiest of many that do nothing looks fast. So a change that looks faster is typed again elsewhere, and
that second reading alone decides and is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from codeassistd.evals.paired import paired
from codeassistd.metrics.signed_rank import middle, middle_interval
from codeassistd.metrics.stats import Interval, Ratio

__all__ = ["MAX_LOSS", "Loss", "Pairs", "Trial", "judge_loss", "judge_trial", "judge_whole"]

Pairs = Sequence[tuple[float, float]]
"""Times for the keys of one stretch in milliseconds, without a change and with it."""

_LEAST = 8
"""Stretches before anything is concluded."""

_MOST = 16
"""Stretches of a reading: the first ends sooner where it is clear, the second never, for who stops at a good moment
finds what he looks for."""

_GIVEN_UP = 24
"""Stretches after which a reading ends although most of them had no key that asked the model."""

_FIRST_LEVEL = 0.9
_SECOND_LEVEL = 0.99
"""One change of two hundred that do nothing would pass the second reading, if it came to that."""

_WHOLE_LEVEL = 0.95
"""For all that was kept together, each of which has passed the second reading already."""

_WORTH = 0.98
"""A change that saves less of the time for a key is not worth what it may break."""

MAX_LOSS = 0.03
"""Most that a change may cost, in nats a token: a tenth of what the needed definitions in the prompt are worth. Both
ends of the interval count, so where little is known nothing is risked."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What typing says so far.

    Attributes:
        ratio: time with the change to time without, of the reading that decides; None where it says nothing.
        pairs: the keys of that reading.
        is_decided: whether more stretches would be a waste.
        is_better: whether it is faster beyond noise; not before it is decided.
        words: the reason in one line.
    """

    ratio: Ratio | None
    pairs: Pairs
    is_decided: bool
    is_better: bool
    words: str


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


def judge_trial(stretches: Sequence[Pairs]) -> Trial:
    """Judge a change by the stretches that were typed with it and without it, in their order."""
    first = _read(stretches, _FIRST_LEVEL, lambda reading: reading.is_clear or reading.is_full)
    if not first.is_faster:
        return first.trial(is_decided=first.is_clear or first.is_full)
    second = _read(stretches[first.n_typed :], _SECOND_LEVEL, lambda reading: reading.is_full)
    if not second.is_full:
        return first.trial(is_decided=False, more=", and being typed again")
    return second.trial(is_decided=True, more="" if second.is_faster else f", typed again after {first.words}")


def judge_whole(stretches: Sequence[Pairs]) -> Trial:
    """Judge all that was kept together, by stretches that were typed with all of it and with none."""
    reading = _read(stretches, _WHOLE_LEVEL, lambda reading: reading.is_full)
    return reading.trial(is_decided=reading.is_full)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Stretches that are looked at together.

    Attributes:
        n_typed: stretches, and `n_telling` those of them with a key that asked the model under both.
    """

    n_typed: int
    n_telling: int
    pairs: Pairs
    ratio: Ratio | None

    @classmethod
    def of(cls, stretches: Sequence[Pairs], level: float) -> _Reading:
        usable = [[(before, after) for before, after in stretch if before > 0 and after > 0] for stretch in stretches]
        values = [median(math.log(after / before) for before, after in stretch) for stretch in usable if stretch]
        pairs = [pair for stretch in usable for pair in stretch]
        interval = middle_interval(values, level) if len(values) >= _LEAST else None
        ratio = None
        if interval is not None:
            ends = Interval(math.exp(interval.low), math.exp(interval.high))
            ratio = Ratio(math.exp(middle(values)), ends, len(pairs))
        return cls(len(stretches), len(values), pairs, ratio)

    @property
    def is_full(self) -> bool:
        return self.n_telling >= _MOST or self.n_typed >= _GIVEN_UP

    @property
    def is_faster(self) -> bool:
        return self.ratio is not None and self.ratio.value <= _WORTH and self.ratio.interval.high < 1.0

    @property
    def is_clear(self) -> bool:
        """Whether it is faster, or cannot well become so: a change that is worth a trial shows by so many stretches."""
        if self.ratio is None:
            return False
        return self.is_faster or self.ratio.interval.low > _WORTH or self.ratio.value >= 1.0

    def trial(self, *, is_decided: bool, more: str = "") -> Trial:
        """What it says, and `more` behind that; until it is decided nothing is faster."""
        is_better = is_decided and self.is_faster
        verdict = "faster" if is_better else "not faster beyond noise" if is_decided else "not decided"
        return Trial(self.ratio, self.pairs, is_decided, is_better, f"{verdict}: {self.words}{more}")

    @property
    def words(self) -> str:
        if self.ratio is None:
            return "too few keys asked the model under both" if self.pairs else "no key asked the model under both"
        low, high = self.ratio.interval.low, self.ratio.interval.high
        return f"{self.ratio.value:.2f} of the time ({low:.2f} to {high:.2f}, {self.ratio.n_pairs} keys)"


def _read(stretches: Sequence[Pairs], level: float, is_over: Callable[[_Reading], bool]) -> _Reading:
    """As many of the stretches as it takes; all while it goes on."""
    for n_typed in range(_LEAST, len(stretches)):
        reading = _Reading.of(stretches[:n_typed], level)
        if is_over(reading):
            return reading
    return _Reading.of(stretches, level)


def judge_loss(untuned: Sequence[float], changed: Sequence[float]) -> Loss:
    """Judge the likelihoods (negative, in nats a token) of the same continuations."""
    found = paired(untuned, changed)
    return Loss(found.change, found.high)

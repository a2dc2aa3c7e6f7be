"""What a step costs by its number of tokens, as a multiple of a step of one token; learned from the steps.

It stands beside `pace`, which learns from the same steps, because the two must err in different ways:

- `pace` asks how many milliseconds a step takes, in powers of two and by depth, for prompts above all. It believes
  medians of the newest steps, so that one mad step changes nothing, and a busy machine becomes a slower one at once.
- Here only the form of the curve counts, at every single number of tokens: a draft is longer by one token or not, and
  kernels read tokens in groups of four. Of most numbers there are few steps and hours apart, on a machine that was
  twice as fast then; medians of such times would be of the machine and not of the form. So height and form are learned
  apart, each step being compared with those right before it, and a machine that becomes slower as a whole changes no
  decision. And what frightened is forgotten, or it would never be tried again.

A wrong curve costs time only, and one that is too cheap costs it at every guess: so what was not measured is believed
to be dear, the first measurements of a size count in full, and only what is dearer than that is ever forgotten.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

__all__ = ["StepCosts"]

_N_MAX = 64
"""Steps of more tokens are not learned from; they read prompts."""

_FIRST_SLOPE = 0.5
"""What each further token costs before anything was measured. Processors were seen between 0.2 and 0.6 for the first
ones, graphics cards far below; with 0.2 guesses were made that did not pay until dozens of steps had told it."""

_HEIGHT_GAIN = 0.25
_FORM_GAIN = 0.1
"""Share of a new measurement in what is believed after it; of the form a larger one while there are few."""

_FIRST_WEIGHT = 1.0
"""How many measurements the form that was believed in before there was any is worth."""

_FADED = 0.005
"""Share of what frightens that is forgotten each time that a draft was there and none was tried. At 0.02 a size that
had been measured was believed to be cheap again after some hundred tokens, so never for long enough."""

_MAX_SURPRISE = 1.5
"""A measurement counts at most as so many times more or less than what was expected: the machine may have been away."""


class StepCosts:
    """The curve; a fresh one is a straight line."""

    def __init__(self) -> None:
        self._height_ms = 0.0
        # What was measured, by number of tokens: the cost above that of one token. Between them the line is straight.
        self._points = {1: 0.0}
        self._n_seen: Counter[int] = Counter()
        self._extra: list[float] = []
        self._draw()

    def __call__(self, n_tokens: int) -> float:
        """Time of a step of `n_tokens` in steps of one token; some take less than shorter ones, none less than one."""
        if n_tokens > _N_MAX:
            return 1.0 + self._extra[-1] * (n_tokens - 1) / (_N_MAX - 1)
        return 1.0 + self._extra[n_tokens - 1]

    @property
    def step_ms(self) -> float:
        """Time of a step of one token, in milliseconds; 0 until known."""
        return self._height_ms

    def see(self, n_tokens: int, step_ms: float) -> None:
        """Learn from a step."""
        if not 0 < n_tokens <= _N_MAX or step_ms <= 0.0:
            return
        known = self(n_tokens)
        if self._height_ms == 0.0:
            self._height_ms = step_ms / known
            return
        surprise = min(max(step_ms / (known * self._height_ms), 1 / _MAX_SURPRISE), _MAX_SURPRISE)
        # The more tokens, the more likely it is the form that was wrong.
        self._height_ms *= 1.0 + _HEIGHT_GAIN / n_tokens * (surprise - 1.0)
        if n_tokens > 1:
            self._n_seen[n_tokens] += 1
            gain = max(_FORM_GAIN, 1 / (_FIRST_WEIGHT + self._n_seen[n_tokens]))
            self._points[n_tokens] = max(0.0, known * (1.0 + gain * (surprise - 1.0)) - 1.0)
            self._draw()

    def fade(self) -> None:
        """Nothing longer was tried: fear what was measured a little less; the machine may have been busy.

        What turned out to be cheap is not forgotten: it is tried, and so measured again, as soon as it may pay.
        """
        for n_tokens, extra in self._points.items():
            self._points[n_tokens] = extra - _FADED * max(0.0, extra - _FIRST_SLOPE * (n_tokens - 1))
        self._draw()

    def _draw(self) -> None:
        """The whole curve anew from its points."""
        points = sorted(self._points.items())
        line: list[float] = []
        for (n_left, left), (n_right, right) in pairwise(points):
            line += [left + (right - left) * n_more / (n_right - n_left) for n_more in range(n_right - n_left)]
        n_last, last = points[-1]
        slope = last / (n_last - 1) if n_last > 1 else _FIRST_SLOPE
        line += [last + slope * n_more for n_more in range(_N_MAX - n_last + 1)]
        self._extra = line

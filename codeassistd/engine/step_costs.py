"""What a step costs by its number of tokens, as a multiple of a step of one token; learned from the steps.

The form of the curve depends on the processor, the number format and the number of threads, its height on the length of
the cache and on who else keeps the machine busy. Height and form are learned apart: each step is compared with those
right before it, so a machine that becomes slower as a whole changes no decision. A wrong curve costs time only.
"""

from __future__ import annotations

__all__ = ["StepCosts"]

_N_MAX = 64
"""Steps of more tokens are not learned from; they read prompts."""

_FIRST_SLOPE = 0.2
"""What each further token costs before anything was measured: 16 tokens took 3.4 times as long as one on two cores."""

_HEIGHT_GAIN = 0.25
_FORM_GAIN = 0.15
"""Share of a new measurement in what is believed after it."""

_MAX_SURPRISE = 2.0
"""A measurement counts at most as so many times more or less than what was expected: the machine may have been away."""


class StepCosts:
    """The curve; a fresh one is a straight line."""

    def __init__(self) -> None:
        self._height_ms = 0.0
        self._extra = [_FIRST_SLOPE * n_more for n_more in range(_N_MAX)]

    def __call__(self, n_tokens: int) -> float:
        """Time of a step of `n_tokens` in steps of one token; never less than that of a shorter step."""
        if n_tokens > _N_MAX:
            return 1.0 + self._extra[-1] * (n_tokens - 1) / (_N_MAX - 1)
        return 1.0 + max(self._extra[:n_tokens])

    def see(self, n_tokens: int, step_ms: float) -> None:
        """Learn from a step."""
        if not 0 < n_tokens <= _N_MAX or step_ms <= 0.0:
            return
        known = 1.0 + self._extra[n_tokens - 1]
        if self._height_ms == 0.0:
            self._height_ms = step_ms / known
            return
        surprise = min(max(step_ms / (known * self._height_ms), 1 / _MAX_SURPRISE), _MAX_SURPRISE)
        self._height_ms *= 1.0 + _HEIGHT_GAIN * (surprise - 1.0)
        if n_tokens > 1:
            self._bend(n_tokens, known * (1.0 + _FORM_GAIN * (surprise - 1.0)))

    def _bend(self, n_tokens: int, cost: float) -> None:
        """Draw the curve nearer to `cost` at `n_tokens`, and its neighbours with it, the nearest the most."""
        known = self._extra[n_tokens - 1]
        change = max(cost - 1.0, 0.01) / max(known, 0.01)
        for n_more in range(1, _N_MAX):
            nearness = 1.0 / (1 + abs(n_more + 1 - n_tokens))
            self._extra[n_more] = max(self._extra[n_more], 0.01) * change**nearness

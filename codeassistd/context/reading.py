"""How many tokens of a prompt this machine reads in the time that a user waits.

A prompt that is longer than that comes too late in every new place, however good it is. The speed is measured by the
engine and moves a little with each prompt; a limit that moved along would shift the start of every prompt and make the
engine read it all again, so a speed is kept until the measured one has clearly left it.
"""

from __future__ import annotations

__all__ = ["SteadySpeed", "default_cold_ms", "default_key_ms", "key_tokens", "readable_tokens"]

_TOLERANCE = 0.3
"""Share by which the measured speed may differ from the one in use; single readings here differ by as much."""
_LEAST = 256
"""Tokens that a prompt may have on the slowest machine: less is no context."""
_UNMEASURED = 512
"""Tokens of the first prompt, before anything has been measured."""
_STEP = 64
_COLD_MS_CPU, _COLD_MS_GPU = 1200, 500
_KEY_MS_CPU, _KEY_MS_GPU = 60, 30
_KEY_LEAST = 16
"""Tokens that one letter may have read again on the slowest machine: less is not a line."""
_KEY_STEP = 16


class SteadySpeed:
    """The speed in use, in tokens per second; 0 until the first measurement."""

    def __init__(self) -> None:
        self._in_use = 0.0

    @property
    def in_use(self) -> float:
        """The speed to plan with as it was last told."""
        return self._in_use

    def follow(self, measured: float) -> float:
        """The speed to plan with, given the one that was measured last (0: not yet)."""
        if measured > 0 and not (1 - _TOLERANCE) * self._in_use <= measured <= (1 + _TOLERANCE) * self._in_use:
            self._in_use = measured
        return self._in_use


def readable_tokens(tokens_per_s: float, cold_ms: float) -> int:
    """Most tokens of a prompt that is to be read within `cold_ms`, in whole steps and never less than a minimum."""
    if tokens_per_s <= 0:
        return _UNMEASURED
    return max(_LEAST, int(tokens_per_s * cold_ms / 1000) // _STEP * _STEP)


def default_cold_ms(n_gpu_layers: int) -> int:
    """How long a new place may take to read where the user has not said: a GPU has no excuse for a pause."""
    return _COLD_MS_GPU if n_gpu_layers > 0 else _COLD_MS_CPU


def key_tokens(tokens_per_s: float, key_ms: float) -> int:
    """Most tokens that one typed letter may have read again within `key_ms`, in whole steps and never none."""
    return max(_KEY_LEAST, int(tokens_per_s * key_ms / 1000) // _KEY_STEP * _KEY_STEP)


def default_key_ms(n_gpu_layers: int) -> int:
    """How long one more letter may take to read where the user has not said."""
    return _KEY_MS_GPU if n_gpu_layers > 0 else _KEY_MS_CPU

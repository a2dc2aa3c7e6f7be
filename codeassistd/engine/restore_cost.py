"""Whether bringing a saved state back is quicker than reading its tokens again, from what both took so far. Pure."""

from __future__ import annotations

__all__ = ["RestoreCost"]

_NEWEST = 0.2
"""Weight of the newest measurement: a single slow one on a busy machine does not turn the answer."""

_MIN_TOKENS = 16
"""Shorter steps say nothing about reading prompts: they cost nearly as much as a single token."""

_READ_S = 1e-3
"""Seconds per token until something was measured: a small model on a processor."""

_MOVE_S = 1e-9
"""Seconds per byte until something was measured: copying within memory, with a margin of ten."""


class RestoreCost:
    """Running means of both; what is decided by them changes times, and never an answer."""

    def __init__(self) -> None:
        self._read_s = _READ_S
        self._move_s = _MOVE_S

    def note_read(self, n_tokens: int, seconds: float) -> None:
        """A step read so many tokens of prompts."""
        if n_tokens >= _MIN_TOKENS and seconds > 0:
            self._read_s += _NEWEST * (seconds / n_tokens - self._read_s)

    def note_moved(self, n_bytes: int, seconds: float) -> None:
        """So many bytes of states were saved or brought back."""
        if n_bytes > 0 and seconds > 0:
            self._move_s += _NEWEST * (seconds / n_bytes - self._move_s)

    def pays(self, n_tokens: int, n_bytes: int) -> bool:
        """Whether bringing in `n_bytes` is quicker than reading `n_tokens`."""
        return n_bytes * self._move_s < n_tokens * self._read_s

"""How long to wait before work starts: not at all, or just longer than the user's fingers need for the next key.

Without a clock. Work for a key goes on while the keys after it agree with what the model writes, so that it is for
nothing only where the next key comes before the model has said anything: then each key is as good a guess as the one
before. There, and only if no wait is longer than what the model takes to its first word, is the next key waited for. A
user who waits for each answer never meets a pause, however fast the next key follows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from statistics import median

__all__ = ["LONGEST_PAUSE_S", "FirstTokens", "Rhythm", "Rhythms", "pause_s"]

LONGEST_PAUSE_S = 0.15
"""Who types more slowly than this is not in a burst."""

_N_INTERVALS = 5
#: Newest answers of the engine that tell how long it takes to say something.
_N_ANSWERS = 9
#: Fewer say nothing about the user.
_MIN_INTERVALS = 2
#: A longer time between two keys is a rest, not a rhythm.
_REST_S = 1.0
#: Keys do not come like clockwork: a pause that is to outlast most intervals is longer than the usual one.
_MARGIN = 1.3


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When the last requests of one document came, as far as they tell how fast its user types.

    Attributes:
        intervals_s: the newest ones, oldest first.
        last_s: when the newest request came, by the clock; None before.
        is_overtaken: whether the newest work was overtaken by a key: not what it said, or before it was done.
    """

    intervals_s: tuple[float, ...] = ()
    last_s: float | None = None
    is_overtaken: bool = False

    @property
    def interval_s(self) -> float | None:
        """The usual time from key to key; None while that is not known."""
        return median(self.intervals_s) if len(self.intervals_s) >= _MIN_INTERVALS else None

    def pressed(self, now_s: float) -> Rhythm:
        """A key was pressed."""
        interval_s = None if self.last_s is None else now_s - self.last_s
        if interval_s is None or interval_s > _REST_S:
            return replace(self, intervals_s=(), last_s=now_s)
        return replace(self, intervals_s=(*self.intervals_s, interval_s)[-_N_INTERVALS:], last_s=now_s)

    def ended(self, *, is_overtaken: bool) -> Rhythm:
        """The newest request has ended."""
        return replace(self, is_overtaken=is_overtaken)


@dataclass(slots=True)
class Rhythms:
    """Those of all documents of all editors."""

    known: dict[tuple[str, str], Rhythm] = field(default_factory=dict)

    def of(self, key: tuple[str, str]) -> Rhythm:
        """That of one document of one editor."""
        return self.known.get(key, Rhythm())

    def pressed(self, key: tuple[str, str], now_s: float) -> None:
        """A key was pressed in a document."""
        self.known[key] = self.of(key).pressed(now_s)

    def ended(self, key: tuple[str, str], *, is_overtaken: bool) -> None:
        """The newest request for a document has ended."""
        if key in self.known:
            self.known[key] = self.known[key].ended(is_overtaken=is_overtaken)

    def forget(self, key: tuple[str, str]) -> None:
        """The document is closed."""
        self.known.pop(key, None)

    def drop_client(self, client: str) -> None:
        """The editor is gone."""
        self.known = {key: rhythm for key, rhythm in self.known.items() if key[0] != client}


@dataclass(slots=True)
class FirstTokens:
    """What the newest answers of the engine took to their first token."""

    newest_s: deque[float] = field(default_factory=lambda: deque(maxlen=_N_ANSWERS))

    def note(self, took_s: float) -> None:
        """One more has begun."""
        self.newest_s.append(took_s)

    @property
    def usual_s(self) -> float | None:
        """What it usually takes; None while that is not known."""
        return median(self.newest_s) if self.newest_s else None


def pause_s(rhythm: Rhythm, first_s: float | None) -> float:
    """Seconds to wait before work starts for the key that was just pressed.

    Args:
        rhythm: with this key in it; `is_overtaken` is of the request before.
        first_s: what the model takes to its first token; None while that is not known.
    """
    interval_s = rhythm.interval_s
    if not rhythm.is_overtaken or interval_s is None or first_s is None:
        return 0.0
    pause = _MARGIN * interval_s
    return pause if pause <= min(first_s, LONGEST_PAUSE_S) else 0.0

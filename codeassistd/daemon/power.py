"""Whether this machine runs on its battery: work that nobody asked for can wait there."""

from __future__ import annotations

import psutil

from codeassistd.clock import Clock

__all__ = ["Power"]

#: Asking the system costs some tenths of a millisecond, and people plug cables in slowly.
_ASK_S = 30.0


class Power:
    """Looks now and then; a machine that does not say has no battery."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked_s = -_ASK_S
        self._on_battery = False

    def on_battery(self) -> bool:
        """Whether it does."""
        now_s = self._clock.monotonic_s()
        if now_s - self._asked_s >= _ASK_S:
            self._asked_s, self._on_battery = now_s, _on_battery()
        return self._on_battery


def _on_battery() -> bool:
    # psutil has no such function where the system has no such thing.
    look = getattr(psutil, "sensors_battery", None)
    battery = look() if look is not None else None
    return battery is not None and battery.power_plugged is False

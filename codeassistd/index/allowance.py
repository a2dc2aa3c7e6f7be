"""How long a worker may be in one file: by its own processor time, so that a busy machine makes no good file fail.

Nothing can use the processor faster than time goes by, so it is enough to look when all of the time since the last look
could have been its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import psutil

from codeassistd.index.parsed import WALL_FACTOR

__all__ = ["Allowance", "processor_time_s"]

#: Looks are no closer together, however little is left.
_MIN_WAIT_S = 0.05


@dataclass(slots=True)
class Allowance:
    """The time that one job of one worker has.

    Attributes:
        limit_s: of processor time; by the clock `WALL_FACTOR` times as much.
        begun_s: when the job began, by the clock.
        spent_s: processor time that the worker had used by then.
        due_s: when to look whether it is used up, by the clock.
    """

    limit_s: float
    begun_s: float
    spent_s: float
    due_s: float = 0.0

    def __post_init__(self) -> None:
        """Nothing can be used up before the limit has passed by the clock."""
        self.due_s = self.begun_s + self.limit_s

    def is_used_up(self, now_s: float, processor_s: float | None) -> bool:
        """Whether the worker is to be ended; if not, `due_s` says when to look again.

        Args:
            now_s: by the clock.
            processor_s: processor time that the worker has used in all; None where the system does not tell, so that
                only the clock counts.
        """
        used_s = now_s - self.begun_s if processor_s is None else processor_s - self.spent_s
        if used_s >= self.limit_s or now_s - self.begun_s >= self.limit_s * WALL_FACTOR:
            return True
        self.due_s = now_s + max(self.limit_s - used_s, _MIN_WAIT_S)
        return False


def processor_time_s(pid: int) -> float | None:
    """Seconds of processor time that a process has used; None where that cannot be known."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return None
    return float(times.user + times.system)

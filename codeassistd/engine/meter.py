"""What is measured of one loaded model while it works, and what follows from it: the pace and the number of threads.

Lives on the engine's thread. Whatever it says changes how long things take, never what comes out.
"""

from __future__ import annotations

from codeassistd.engine.backend import BackendInfo
from codeassistd.engine.pace import Load, Pace, depth_class, size_class
from codeassistd.engine.threads import ThreadGovernor
from codeassistd.engine.window import Window

__all__ = ["Meter"]

_GOAL_MS = {"gpu": 30.0}
_OTHER_GOAL_MS = 60.0
"""Longest time that a stream waits for its next token, by device: at 60 ms text still flows, a GPU can do better."""

_N_CANCELS = 256
"""Cancels that are remembered."""


class Meter:
    """The measurements.

    Args:
        info: of the loaded backend.
        step_ms: goal for the longest step beside a stream; 0 chooses by device.
    """

    def __init__(self, info: BackendInfo, step_ms: float = 0.0) -> None:
        goal_ms = step_ms or _GOAL_MS.get(info.effective.get("device", ""), _OTHER_GOAL_MS)
        self.pace = Pace(goal_ms, info.n_batch)
        self.cancels_ms = Window(_N_CANCELS)
        self._governor = ThreadGovernor(info.n_threads)

    @property
    def n_threads(self) -> int:
        """Threads for the next step."""
        return self._governor.n_threads

    def step(self, load: Load, ms: float) -> None:
        """Learn from a step that was done with `n_threads`."""
        self.pace.record(load, ms)
        if load.n_rows == 0 or load.n_read == 0:  # what is mixed is of too many kinds to be compared with its like
            depth = depth_class(load.row_depth + load.read_depth)
            self._governor.observe((load.n_rows > 0, size_class(load.n_rows + load.n_read), depth), ms)

"""How many processor threads a step gets: all while the machine is ours, fewer while others want its cores. Pure.

The threads of one step wait for each other again and again, so one that has lost its core to another program holds all
up: two threads on two taken cores were seen to be slower than one by far. Whether that is so cannot be known, only
tried. A step is compared with the median of its like in quiet times; their quotient, the slowness, compares steps of
every size. The controller climbs by trials of a few steps each:

    all threads --(several times as slow as in quiet times)--> half as many --> ...
        keeps the lower number only where it is faster than the higher one was;
    fewer threads --(after a while)--> trial of twice as many: keeps them only where they are faster.
    all threads --(after a while)--> trial of half as many, alike: the load may have been there from the start.

After a trial that failed, the next one comes after twice as many steps. Where steps have become slow and fewer threads
do not help, slow is what is normal now, and quiet times are learned anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from enum import Enum, auto
from statistics import median

from codeassistd.engine.window import Window

__all__ = ["ThreadGovernor"]

_SLOW = 2.0
"""Slowness from which fewer threads are tried: more than what a change of the clock rate or of depth makes."""

_BETTER = 0.9
"""A number of threads is better if its slowness is at most this share of the other's."""

_N_TRIAL = 5
"""Steps of a trial, and of the look before it; their median counts."""

_N_QUIET = 15
"""Steps of one kind in quiet times that its median is made of, and how many must be known before it counts."""
_N_KNOWN = 5

_FIRST_WAIT = 64
"""Steps until another number is tried; a few seconds of writing."""
_LONGEST_WAIT = 1024


class _Phase(Enum):
    """What the steps are watched for."""

    STEADY = auto()
    TRYING_FEWER = auto()
    TRYING_MORE = auto()


class ThreadGovernor:
    """Chooses the number of threads from step times.

    Args:
        n_most: threads in quiet times; with 1 there is nothing to choose.
    """

    def __init__(self, n_most: int) -> None:
        self._n_most = n_most
        self._n_threads = n_most
        self._phase = _Phase.STEADY
        self._quiet: dict[Hashable, Window] = {}
        self._newest: deque[float] = deque(maxlen=_N_TRIAL)
        self._slowness_before = 0.0
        self._n_before = n_most
        self._n_steady = 0
        self._wait = _FIRST_WAIT

    @property
    def n_threads(self) -> int:
        """The number for the next step."""
        return self._n_threads

    def observe(self, kind: Hashable, ms: float) -> None:
        """Take in how long a step of some kind (steps of one kind cost the same) took with `n_threads`."""
        if self._n_most == 1:
            return
        quiet = self._quiet.setdefault(kind, Window(_N_QUIET))
        if len(quiet) < _N_KNOWN or quiet.median <= 0:
            if self._n_threads == self._n_most:
                quiet.add(ms)
            return
        slowness = ms / quiet.median
        if self._n_threads == self._n_most and slowness < _SLOW:
            quiet.add(ms)
        self._newest.append(slowness)
        self._n_steady += 1
        match self._phase:
            case _Phase.STEADY:
                self._look()
            case _Phase.TRYING_FEWER:
                self._judge_fewer()
            case _Phase.TRYING_MORE:
                self._judge_more()

    def _look(self) -> None:
        """In a steady time: is another number worth a trial?"""
        if len(self._newest) < _N_TRIAL:
            return
        slowness = median(self._newest)
        is_time = self._n_steady >= self._wait
        if self._n_threads < self._n_most:
            if is_time:
                self._try_more(slowness)
        elif is_time or slowness >= _SLOW:
            self._try(self._n_threads // 2, _Phase.TRYING_FEWER, slowness)

    def _judge_fewer(self) -> None:
        slowness = median(self._newest)
        match self._is_better():
            case True if slowness >= _SLOW and self._n_threads > 1:
                self._try(self._n_threads // 2, _Phase.TRYING_FEWER, slowness)
            case True:
                self._settle(self._n_threads, _FIRST_WAIT)
            case False if self._slowness_before >= _SLOW and self._n_before == self._n_most:
                self._settle(self._n_before, _FIRST_WAIT)
                self._quiet.clear()
            case False:
                self._settle(self._n_before, self._longer_wait())

    def _judge_more(self) -> None:
        match self._is_better():
            case True if self._n_threads < self._n_most:
                self._try_more(median(self._newest))
            case True:
                self._settle(self._n_threads, _FIRST_WAIT)
            case False:
                self._settle(self._n_before, self._longer_wait())

    def _is_better(self) -> bool | None:
        """Whether most steps of the trial are clearly faster than before it; None until that is decided."""
        n_better = sum(slowness <= _BETTER * self._slowness_before for slowness in self._newest)
        if 2 * n_better > _N_TRIAL:
            return True
        if 2 * (len(self._newest) - n_better) > _N_TRIAL:
            return False
        return None

    def _longer_wait(self) -> int:
        return min(2 * self._wait, _LONGEST_WAIT)

    def _try_more(self, slowness: float) -> None:
        self._try(min(2 * self._n_threads, self._n_most), _Phase.TRYING_MORE, slowness)

    def _try(self, n_threads: int, phase: _Phase, slowness: float) -> None:
        self._n_before, self._slowness_before = self._n_threads, slowness
        self._n_threads, self._phase = n_threads, phase
        self._newest.clear()

    def _settle(self, n_threads: int, wait: int) -> None:
        self._n_threads, self._phase, self._wait = n_threads, _Phase.STEADY, wait
        self._n_steady = 0
        self._newest.clear()

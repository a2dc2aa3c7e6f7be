"""How much of its speed the engine keeps while other programs want all processors."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import psutil

from codeassistd.bench.engine.measured import Effort, Measured, ratio_row
from codeassistd.bench.engine.rig import Generated, Rig
from codeassistd.metrics.stats import paired_ratio

__all__ = ["contention_ratio"]

_N_PROMPT = 64
_N_OUTPUT = 96
_BUSY = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"
"""A program that takes all it gets, for as long as the process that it is told is its parent."""


async def contention_ratio(rig: Rig, effort: Effort) -> Measured:
    """Tokens per second beside as many busy processes as there are cores, against none: by turns."""
    alone: list[float] = []
    beside: list[float] = []
    with _busy_processes(_n_cores()) as busy:
        for _ in range(effort.n_blocks):
            free = _rate(await rig.generate(rig.corpus.take(_N_PROMPT), _N_OUTPUT))
            with _awake(busy):
                taken = _rate(await rig.generate(rig.corpus.take(_N_PROMPT), _N_OUTPUT))
            if free and taken:
                alone.append(free)
                beside.append(taken)
    if not alone:
        return Measured({"contention_ratio": None})
    ratio = paired_ratio(beside, alone)
    return Measured({"contention_ratio": ratio.value}, [ratio_row("contention_ratio", ratio)])


def _rate(generated: Generated) -> float | None:
    """Tokens per second; None of an answer that is too short to tell."""
    return generated.tokens_per_s if generated.n_output >= _N_OUTPUT // 4 else None


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _busy_processes(n_processes: int) -> Iterator[list[psutil.Process]]:
    """Processes that would take all they get, asleep at first."""
    children = [subprocess.Popen([sys.executable, "-S", "-c", _BUSY, str(os.getpid())]) for _ in range(n_processes)]
    try:
        processes = [psutil.Process(child.pid) for child in children]
        for process in processes:
            process.suspend()
        yield processes
    finally:
        for child in children:
            child.kill()
            child.wait()


@contextlib.contextmanager
def _awake(processes: list[psutil.Process]) -> Iterator[None]:
    for process in processes:
        process.resume()
    try:
        yield
    finally:
        for process in processes:
            process.suspend()

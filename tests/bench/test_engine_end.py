"""An engine bench that is ended from outside leaves no busy process behind."""

from __future__ import annotations

import signal
import subprocess
import sys

import psutil
import pytest

from tests.support.waiting import wait_for

#: How long the end may take before the test gives up; it depends on it in no other way.
_SAFETY_S = 60.0
PROGRAM = """
import asyncio, contextlib, signal
from codeassistd.bench.engine import contention, run

@contextlib.asynccontextmanager
async def open_rig(*_):
    yield None

async def measure(*_):
    with contention._busy_processes(2) as busy, contention._awake(busy):
        print(*(process.pid for process in busy), flush=True)
        await asyncio.sleep(600)

# A shell's job in the background is born deaf to it.
signal.signal(signal.SIGINT, signal.default_int_handler)
run._open_rig, run.measure, run.rig_settings = open_rig, measure, lambda model: model
run.run_engine(None, None, None, measurements=(), effort=None, on_measurement=None)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_bench_that_was_ended(number: int) -> None:
    """In order, by the keyboard, or without a chance to tidy up."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as bench:
        assert bench.stdout is not None
        busy = [int(pid) for pid in bench.stdout.readline().split()]
        assert 2 == len(busy)
        bench.send_signal(number)
        bench.wait(_SAFETY_S)
    wait_for(lambda: not any(map(_is_busy, busy)), "the end of the busy processes")


def _is_busy(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE  # which whoever inherits it may leave for a while
    except psutil.NoSuchProcess:
        return False

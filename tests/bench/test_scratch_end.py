"""A measurement that is told to end leaves no daemon behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.processes import Home, has_ended
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could listen to"),
]

_CHILD = """
import sys, time
from codeassistd.paths import Paths
from codeassistd.testing.scratch import scratch_daemon
with scratch_daemon(Paths.resolve(), command=sys.argv[1:]) as daemon:
    print(daemon.environ["CODEASSISTD_HOME"], flush=True)
    time.sleep(600)
"""


def test_a_terminated_measurement_ends_its_daemon(tmp_path: Path) -> None:
    """With the exit code of who was terminated, and without the daemon's folder."""
    home = Home(tmp_path)
    command = [sys.executable, "-c", _CHILD, *home.serve_command({"rules": [], "default": ""})]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=home.environ) as measuring:
        assert measuring.stdout is not None
        folder = Path(measuring.stdout.readline().strip())
        children = psutil.Process(measuring.pid).children(recursive=True)
        assert folder.is_dir()
        assert children
        measuring.send_signal(signal.SIGTERM)
        assert 128 + signal.SIGTERM == measuring.wait(60)
    wait_for(lambda: all(has_ended(child) for child in children), "the daemon's end")

    assert not folder.exists()
    home.close()

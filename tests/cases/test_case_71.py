"""Case 71: left running after the editor is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.config import DaemonSettings, IndexSettings, Settings
from codeassistd.daemon.assembly import build_daemon
from codeassistd.daemon.frames import frame
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from tests.support.processes import Home

PROXY = [sys.executable, "-P", "-m", "codeassistd", "lsp", "--stdio"]
EDITOR = [sys.executable, "-c", "import time; time.sleep(600)"]
#: A busy loop would take all of the time until the safety stop; the whole life of a proxy takes a fraction of a second.
CPU_S = 5.0


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


def initialize(pid: int) -> bytes:
    params = {"processId": pid, "capabilities": {}}
    return frame(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode())


def ended(proxy: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Wait for the end: the exit code, and the processor time it took in all."""
    _, status, usage = os.wait4(proxy.pid, 0)
    proxy.returncode = os.waitstatus_to_exitcode(status)
    return proxy.returncode, usage.ru_utime + usage.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize("speaks", [False, True], ids=["at once", "after initialize"])
def test_the_proxy_ends_with_its_editor(home: Home, *, speaks: bool) -> None:
    """Kill -9 of the editor, in the first moment or later: the proxy ends by itself, without a busy loop."""
    home.start_daemon()
    theirs, ours = os.pipe()
    # The editor alone holds the writing end, so its death is all that the proxy gets to know.
    editor = subprocess.Popen(EDITOR, pass_fds=[ours])
    proxy = subprocess.Popen(PROXY, stdin=theirs, stdout=subprocess.PIPE, env=home.environ)
    os.close(theirs)
    assert proxy.stdout is not None
    with proxy.stdout:
        if speaks:
            os.write(ours, initialize(editor.pid))
            assert proxy.stdout.readline().startswith(b"Content-Length")
        os.close(ours)
        editor.kill()
        editor.wait()
        code, cpu_s = ended(proxy)
    assert 1 == code
    assert cpu_s < CPU_S


@pytest.mark.slow
def test_the_proxy_notices_a_death_that_leaves_the_pipe_open(home: Home) -> None:
    """Another child of the editor may still hold the pipe; then the process that introduced itself is looked for."""
    home.start_daemon()
    editor = subprocess.Popen(EDITOR)
    proxy = subprocess.Popen(PROXY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=home.environ)
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    with proxy.stdin, proxy.stdout:
        proxy.stdin.write(initialize(editor.pid))
        proxy.stdin.flush()
        assert proxy.stdout.readline().startswith(b"Content-Length")
        editor.kill()
        editor.wait()
        code, cpu_s = ended(proxy)
    assert 1 == code
    assert cpu_s < CPU_S


@pytest.mark.slow
async def test_an_editor_killed_while_the_daemon_starts(home: Home) -> None:
    """The window is closed before the daemon is up: the proxy does not wait for it."""
    never = [sys.executable, "-c", "import time; time.sleep(600)"]
    async with home.proxy(never) as proxy:
        await proxy.client.initialize()
        await proxy.status("starting")
        await proxy.client.hang_up()
        assert 1 == await proxy.code()


@pytest.mark.slow
@pytest.mark.parametrize(("asks_first", "code"), [(True, 0), (False, 1)])
async def test_exit_codes(home: Home, *, asks_first: bool, code: int) -> None:
    """`exit` after `shutdown` gives 0, without it 1."""
    home.start_daemon()
    async with home.proxy() as proxy:
        await proxy.client.initialize()
        if asks_first:
            assert await proxy.client.request("shutdown") is None
        proxy.client.notify("exit")
        assert code == await proxy.code()


async def test_the_model_goes_after_the_last_editor(tmp_path: Path) -> None:
    """The idle time counts from the last editor's end, anew with each; then the daemon ends, and the model with it."""
    clock, backend = FakeClock(), FakeBackend()
    settings = Settings(daemon=DaemonSettings(idle_exit_s=100), index=IndexSettings(enabled=False))
    daemon = build_daemon(Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)}), settings, clock, backend.load)
    daemon.start()
    first, second = daemon.open_session(), daemon.open_session()
    daemon.close_session(first)
    await clock.advance(1000)
    assert not daemon.stop_requested.is_set()
    daemon.close_session(second)
    await clock.advance(99)
    third = daemon.open_session()
    await clock.advance(1000)
    assert not daemon.stop_requested.is_set()
    daemon.close_session(third)
    await clock.advance(99)
    assert not daemon.stop_requested.is_set()
    await clock.advance(1)
    assert daemon.stop_requested.is_set()
    await daemon.stop()
    assert 1 == backend.n_closed

"""Ending a daemon at any moment of its life, also before and after it can be talked to."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.lock import Lock
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.errors import DaemonError
from codeassistd.paths import make_private_dir
from tests.support.processes import Home
from tests.support.waiting import SAFETY_S, wait_for


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A place with at most one daemon, ended afterwards."""
    home = Home(tmp_path)
    yield home
    home.close()


#: A daemon that takes its time: it is there, and has no lock of its own, until the file `go` exists.
_SLOW = """
import pathlib, runpy, sys, time
pathlib.Path(sys.argv[1], "up").touch()
while not pathlib.Path(sys.argv[1], "go").exists():
    time.sleep(0.01)
sys.argv = ["serve", sys.argv[2]]
runpy.run_module("codeassistd.testing.serve", run_name="__main__")
"""
#: A client that starts one, and is killed while it waits.
_START = """
import sys
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths
Launcher(Paths.resolve(), command=sys.argv[1:]).connect_or_start(Kind.CONTROL)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there a child cannot hold its parent's lock")
def test_a_daemon_whose_starter_died_before_it_was_up_is_waited_for_and_ended(home: Home) -> None:
    """Ctrl-C in the first seconds: nobody listens yet, but there is a daemon all the same."""
    slow = [sys.executable, "-P", "-c", _SLOW, str(home.root), home.serve_command()[-1]]
    starter = home.spawn([sys.executable, "-P", "-c", _START, *slow])
    wait_for((home.root / "up").exists, "a daemon on its way up")
    starter.kill()
    starter.wait(SAFETY_S)

    with ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(stop_daemon, home.paths)
        assert not stopped.done()
        (home.root / "go").touch()
        pid = stopped.result(SAFETY_S)

    assert Lock.holder(home.paths.lock_file) == pid
    assert home.launcher.connect(Kind.CONTROL) is None
    assert not Lock.is_held(home.paths.lock_file)


def test_a_daemon_on_its_way_down_is_waited_for(home: Home) -> None:
    """It has no socket any more, but its lock and its memory."""
    make_private_dir(home.paths.runtime_dir)
    hold = "import sys; from pathlib import Path; from codeassistd.daemon.lock import Lock; \
lock = Lock.take(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-P", "-c", hold, str(home.paths.lock_file)]
    holder = home.spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdout.readline()

    threading.Thread(target=holder.stdin.close).start()

    assert stop_daemon(home.paths) in {holder.pid, None}
    assert not Lock.is_held(home.paths.lock_file)


def test_without_any_daemon_there_is_nothing_to_wait_for(home: Home) -> None:
    """Nobody holds a lock, so the answer comes at once."""
    assert stop_daemon(home.paths) is None


def test_what_the_user_got_wrong_is_told_as_if_started_by_hand(home: Home) -> None:
    """A daemon that refuses its settings says why in one line, and its exit code is passed on."""
    command = [sys.executable, "-c", "import sys; print('codeassistd: x.toml: no', file=sys.stderr); sys.exit(2)"]

    with pytest.raises(DaemonError) as caught:
        Launcher(home.paths, command=command).connect_or_start(Kind.CONTROL)

    assert ("x.toml: no", 2) == (str(caught.value), caught.value.exit_code)

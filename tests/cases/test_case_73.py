"""Case 73: old socket, two starts, busy daemon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from tests.support.processes import Home
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow

_START = """
import sys
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths
with ControlClient.connect_or_start(Launcher(Paths.resolve(), command=sys.argv[1:])) as daemon:
    print(daemon.call("status")["pid"])
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


def start(home: Home) -> subprocess.Popen[bytes]:
    """What `codeassistd start` does, with a scripted model."""
    return home.spawn([sys.executable, "-P", "-c", _START, *home.serve_command()], stdout=subprocess.PIPE)


def daemons(home: Home) -> set[int]:
    """Processes that are a daemon of this home."""
    script = str(home.root / "script.json").encode()
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"codeassistd.testing.serve" in words and script in words and b"-c" not in words:
                found.add(int(entry.name))
    return found


def test_twenty_starts_give_one_daemon(home: Home) -> None:
    """All twenty succeed, and all have reached the same process."""
    starts = [start(home) for _ in range(20)]
    printed = {process.communicate(timeout=120)[0] for process in starts}
    assert [0] * 20 == [process.returncode for process in starts]
    assert {b"%d\n" % home.daemon_pid()} == printed
    if sys.platform == "linux":
        assert {home.daemon_pid()} == daemons(home)


def test_a_start_after_kill_works(home: Home) -> None:
    """The socket of a killed daemon is in nobody's way."""
    killed = home.start_daemon()
    killed.kill()
    killed.wait()
    assert home.paths.socket_file.exists()
    out, _ = start(home).communicate(timeout=120)
    assert int(out) != killed.pid


def test_a_stopped_daemon_is_not_replaced(home: Home) -> None:
    """While it is stopped by a signal, a start says that it does not answer; socket and daemon stay."""
    daemon = home.start_daemon()
    before = home.paths.socket_file.stat().st_ino
    daemon.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(DaemonError, match=rf"process {daemon.pid}\) does not answer"):
            Launcher(home.paths, home.serve_command(), answer_s=0.2).connect_or_start(Kind.CONTROL)
    finally:
        daemon.send_signal(signal.SIGCONT)
    assert (daemon.pid, before) == (home.daemon_pid(), home.paths.socket_file.stat().st_ino)


def test_a_start_waits_a_stopped_daemon_out(home: Home) -> None:
    """A start that meets a stopped daemon succeeds with it once it goes on."""
    daemon = home.start_daemon()
    daemon.send_signal(signal.SIGSTOP)
    waiting = start(home)
    wait_for(lambda: _backlog(home) > 0, "the start to knock")
    daemon.send_signal(signal.SIGCONT)
    out, _ = waiting.communicate(timeout=120)
    assert (b"%d\n" % daemon.pid, 0) == (out, waiting.returncode)


def _backlog(home: Home) -> int:
    """Connections to the socket that nobody has accepted yet, as the system lists them (state 2: connecting)."""
    if sys.platform != "linux":
        return 1
    rows = Path("/proc/net/unix").read_text("utf-8").splitlines()[1:]
    return sum(1 for row in rows if row.endswith(f" {home.paths.socket_file}") and row.split()[5] in {"02", "03"})


def test_a_late_end_leaves_the_new_socket(home: Home) -> None:
    """A daemon whose files were cleaned away is followed by a new one; its late end takes nothing from that."""
    old = home.start_daemon()
    home.paths.socket_file.unlink()
    home.paths.lock_file.unlink()
    new = home.start_daemon()
    old.send_signal(signal.SIGTERM)
    assert 0 == old.wait(60)
    assert home.paths.socket_file.exists()
    assert new.pid == home.daemon_pid()


def test_a_second_daemon_refuses(home: Home) -> None:
    """Who comes second says who is first, in one line and with an exit code of its own, and touches nothing."""
    first = home.start_daemon()
    second = home.spawn(home.serve_command(), stderr=subprocess.PIPE)
    _, err = second.communicate(timeout=60)
    assert (b"codeassistd: a daemon is running already (process %d)\n" % first.pid, 3) == (err, second.returncode)
    assert first.pid == home.daemon_pid()


def test_a_plain_file_is_refused_and_kept(home: Home) -> None:
    """Neither a daemon nor a start touches a file in the socket's place; both say what to do."""
    home.paths.runtime_dir.mkdir(mode=0o700)
    home.paths.socket_file.write_text("precious")
    daemon = home.spawn(home.serve_command(), stderr=subprocess.PIPE)
    _, err = daemon.communicate(timeout=60)
    line = f"{home.paths.socket_file} is in the way and not a socket; move it away and try again"
    assert (f"codeassistd: {line}\n".encode(), 2) == (err, daemon.returncode)
    with pytest.raises(DaemonError) as caught:
        Launcher(home.paths, home.serve_command()).connect_or_start(Kind.CONTROL)
    assert (line, 2) == (str(caught.value), caught.value.exit_code)
    assert "precious" == home.paths.socket_file.read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(home: Home, number: signal.Signals) -> None:
    """The socket is gone, the lock is free, and the exit code is 0."""
    daemon = home.start_daemon()
    os.kill(daemon.pid, number)
    assert 0 == daemon.wait(60)
    assert not home.paths.socket_file.exists()
    assert home.start_daemon().pid == home.daemon_pid()

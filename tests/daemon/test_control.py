"""What the command line asks a daemon, over its real socket."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from codeassistd.daemon.client import ControlClient
from codeassistd.errors import DaemonError
from codeassistd.index.schema import SCHEMA_VERSION
from codeassistd.paths import make_private_dir
from tests.support.processes import Home
from tests.support.waiting import SAFETY_S, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


def test_a_conversation(home: Home) -> None:
    """Many questions over one connection; what the daemon cannot do is one line, and the connection goes on."""
    home.start_daemon()
    with ControlClient(home.connection()) as daemon:
        assert "0.1.0" == daemon.call("status")["version"]
        assert daemon.call("spans.explain") is None
        assert daemon.call("spans.explain", {"id": "gone"}) is None
        assert {} == daemon.call("index.status")
        with pytest.raises(DaemonError, match="the daemon does not know undo"):
            daemon.call("undo")
        with pytest.raises(DaemonError, match="the index is switched off"):
            daemon.call("index.build", {"path": "/"})
        assert {} == daemon.call("model.reload")
        assert home.daemon_pid() == daemon.call("status")["pid"]


def test_nonsense_is_answered(home: Home) -> None:
    """A line that is no request gets an error without an id."""
    home.start_daemon()
    connection = home.connection()
    for line in (b"{\n", b"[]\n", b'{"id": 1}\n'):
        connection.send(line)
        assert -32600 == json.loads(connection.read_line(10_000))["error"]["code"]
    connection.close()


def test_index_build_reads_a_workspace(home: Home) -> None:
    """Progress while it reads, the numbers at the end; again with the disk as it is then."""
    home.environ["CODEASSISTD_INDEX__ENABLED"] = "true"
    work = home.root / "work"
    work.mkdir()
    (work / "a.py").write_text("def alpha():\n    return 1\n")
    home.start_daemon()
    steps: list[Any] = []
    with ControlClient(home.connection()) as daemon:
        first = daemon.call("index.build", {"path": str(work)}, steps.append)
        (work / "b.py").write_text("def beta():\n    return 2\n")
        second = daemon.call("index.build", {"path": str(work)})
        with pytest.raises(DaemonError, match="is not a folder") as caught:
            daemon.call("index.build", {"path": str(work / "a.py")})
        assert [] == daemon.call("status")["sessions"]
    assert (str(work), 1, 2) == (first["root"], first["n_symbols"], second["n_symbols"])
    assert steps
    assert 2 == caught.value.exit_code


def test_who_leaves_while_a_workspace_is_read_is_no_error(home: Home) -> None:
    """Ctrl-C at `index build`: nobody waits for the answer, and the log has nothing to tell."""
    home.environ["CODEASSISTD_INDEX__ENABLED"] = "true"
    work = home.root / "work"
    work.mkdir()
    for number in range(20):
        (work / f"a{number}.py").write_text("def alpha():\n    return 1\n")
    home.start_daemon()
    leaver = home.connection()
    leaver.send(json.dumps({"id": 1, "method": "index.build", "params": {"path": str(work)}}).encode() + b"\n")
    leaver.read_line(10_000)
    leaver.close()
    with ControlClient(home.connection()) as daemon:
        wait_for(lambda: daemon.call("status")["sessions"] == [], "the reading to end")
    assert "failed" not in home.paths.log_file.read_text()


def test_index_search_finds_what_is_on_disk_now(home: Home) -> None:
    """The workspace is read first; a search that makes no sense is the asker's mistake."""
    home.environ["CODEASSISTD_INDEX__ENABLED"] = "true"
    work = home.root / "work"
    work.mkdir()
    (work / "a.py").write_text("def findNeedle():\n    return 1\n")
    home.start_daemon()
    search = {"path": str(work), "words": ["needle"], "limit": 8}
    with ControlClient(home.connection()) as daemon:
        [first] = daemon.call("index.search", search)
        (work / "a.py").write_text("def findNeedle():\n    return 2\n")
        [second] = daemon.call("index.search", search)
        with pytest.raises(DaemonError, match="a search needs `words`") as caught:
            daemon.call("index.search", {**search, "words": "needle"})
    assert ("a.py", 0, 2) == (first["relative"], first["line"], first["end_line"])
    assert "def findNeedle():\n    return 2" == second["text"]
    assert 2 == caught.value.exit_code


def test_index_rebuild_reads_all_of_it_again(home: Home) -> None:
    """Also what has not changed."""
    home.environ["CODEASSISTD_INDEX__ENABLED"] = "true"
    work = home.root / "work"
    work.mkdir()
    (work / "a.py").write_text("def alpha():\n    return 1\n")
    home.start_daemon()
    with ControlClient(home.connection()) as daemon:
        daemon.call("index.build", {"path": str(work)})
        built = daemon.call("index.build", {"path": str(work)})
        rebuilt = daemon.call("index.rebuild", {"path": str(work)})
    assert (0, 1, 1) == (built["n_parsed"], rebuilt["n_parsed"], rebuilt["n_symbols"])


def test_a_store_of_a_newer_version_is_told_and_left_alone(home: Home) -> None:
    """Neither build nor rebuild nor search touches it; each says what is wrong and what to do."""
    home.environ["CODEASSISTD_INDEX__ENABLED"] = "true"
    work = home.root / "work"
    work.mkdir()
    make_private_dir(home.paths.index_dir)
    store = home.paths.index_dir / "index.db"
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript("create table future (x); pragma user_version = 99;")
    before = store.read_bytes()
    home.start_daemon()
    with ControlClient(home.connection()) as daemon:
        for method in ("index.build", "index.rebuild", "index.search"):
            with pytest.raises(DaemonError, match=r"has schema 99, only \d+ is known here; update"):
                daemon.call(method, {"path": str(work), "words": ["x"], "limit": 1})
        status = daemon.call("index.status")
    assert (99, SCHEMA_VERSION) == (status["schema_version"], status["known_schema_version"])
    assert before == store.read_bytes()


def test_stop_ends_it(home: Home) -> None:
    """The answer comes first, then the daemon ends in order."""
    process = home.start_daemon()
    assert {} == home.call("stop")
    assert 0 == process.wait(SAFETY_S)
    with pytest.raises(DaemonError, match="no daemon is running; `codeassistd start` starts one"):
        ControlClient.connect(home.launcher)


def test_a_newer_daemon_takes_over(home: Home) -> None:
    """Each version has its own socket; the newer one's start lets the older one end."""
    older = """
import sys
import codeassistd
codeassistd.__version__ = "0.0.9"
from codeassistd.testing.serve import main
sys.exit(main(sys.argv[1:]))
"""
    file = home.serve_command()[-1]
    old = home.spawn([sys.executable, "-P", "-c", older, file], stderr=subprocess.PIPE)
    wait_for(home.paths.socket_file.with_name("daemon-0.0.9.sock").exists, "the older daemon's socket")
    new = home.start_daemon()
    assert 0 == old.wait(SAFETY_S)
    assert new.pid == home.daemon_pid()
    assert not home.paths.socket_file.with_name("daemon-0.0.9.sock").exists()


def test_metrics_are_those_since_the_connection_asked_before(home: Home) -> None:
    """The first time they are of the daemon's whole life; so a screen that moves shows what happens now."""
    home.start_daemon()
    with ControlClient(home.connection()) as daemon:
        first, second = daemon.call("metrics"), daemon.call("metrics")
    assert ["user", "system", "resources"] == list(first["figures"]) == list(second["figures"])
    assert {"limit", "sentence", "remedy"} == set(first["bottleneck"])
    assert ([], []) == (first["requests"], first["newest_ms"])
    assert first["figures"]["resources"]["process_bytes"] > 0
    with ControlClient(home.connection()) as daemon:
        assert "codeassistd_sequences" in daemon.call("metrics.text")["text"]
        assert [] == daemon.call("spans.list")

"""Case 54: network and foreign file systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from codeassistd.index.mounts import Mount
from codeassistd.index.types import IndexLookup
from tests.support.indexing import running, write

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with one definition."""
    path = tmp_path / "root"
    write(path, {"a.py": "def one(): ...\n"})
    return path


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs", "vboxsf"])
def test_a_workspace_on_a_network_mount_is_polled(root: Path, tmp_path: Path, kind: str) -> None:
    """The type of the mount is looked up at the start and said in the status; changes are found by comparing."""
    table = (Mount("/", "ext4", ""), Mount(str(root), kind, ""))
    parts = {"mount_table": lambda: table}
    with running(tmp_path / "home", root, watch="auto", poll_s=0.1, parts=parts) as run:
        assert f"polling: no change events on a {kind} file system" == run.workspace().watching
        write(root, {"a.py": "def uno(): ...\n"})
        run.wait_until(lambda: run.rows() == {"a.py": ["uno"]})


@pytest.mark.parametrize(
    "ask",
    [
        lambda lookup, root: lookup.definitions(root, ["one"], None),
        lambda lookup, root: lookup.members(root, ["One"], None),
        lambda lookup, root: lookup.search(root, ["word"], None, 8),
    ],
    ids=["definitions", "members", "search"],
)
def test_with_events_dead_a_stale_row_is_not_used(
    root: Path, tmp_path: Path, ask: Callable[[IndexLookup, Path], Sequence[object]]
) -> None:
    """Whatever is asked: a row counts only while size and time on disk are those it was read at."""
    write(root, {"a.py": "class One:\n    def member(self): ...\n\n\ndef one(word): ...\n"})
    with running(tmp_path / "home", root, watch="off") as run:
        assert 1 == len(ask(run.indexer.lookup, root))
        write(root, {"a.py": "class One:\n    def member(self): ...\n\n\ndef one(word, other): ...\n"})
        assert [] == ask(run.indexer.lookup, root)


def test_the_store_is_refused_there(root: Path, tmp_path: Path) -> None:
    """No database on a mount that damages databases; the reason and the way out are said."""
    home = tmp_path / "home"
    table = (Mount("/", "ext4", ""), Mount(str(home), "nfs4", ""))
    with running(home, root, parts={"mount_table": lambda: table}) as run:
        problem = run.indexer.status().problem
        assert "cannot lie on a nfs4 file system" in problem
        assert "set XDG_STATE_HOME to a folder on a local disk" in problem
        assert not home.exists()

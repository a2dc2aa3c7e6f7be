"""The indexer as a whole, on small workspaces."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codeassistd.errors import StoreError
from codeassistd.index.mounts import Mount
from codeassistd.index.store import Store
from tests.support.indexing import repository, running, write

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small repository."""
    path = repository(tmp_path / "root")
    write(
        path, {"a.py": "def one():\n    pass\n", "pkg/b.py": "class Two:\n    def three(self): ...\n", "notes.txt": "x"}
    )
    return path


ROWS = {"a.py": ["one"], "pkg/b.py": ["Two", "three"]}


def test_a_workspace_is_read_and_told_of(root: Path, tmp_path: Path) -> None:
    """Waiting, crawling, ready; at the end the numbers say what is there."""
    with running(tmp_path / "home", root) as run:
        assert ROWS == run.rows()
        status = run.workspace()
        assert (2, 2, 3, 2, "off", {"indexed": 2}) == (
            status.n_done,
            status.n_total,
            status.n_symbols,
            status.n_parsed,
            status.watching,
            status.verdicts,
        )
        assert ["crawling", "ready"] == run.phases()[-2:]
        assert "" == run.indexer.status().problem
        found = run.indexer.lookup.definitions(root, ["Two"], root / "a.py")
        assert [("pkg/b.py", "class Two")] == [(each.relative, each.signature) for each in found]


def test_a_saved_file_is_read_again(root: Path, tmp_path: Path) -> None:
    """`file_changed` is enough: same content is not parsed again, a new file is found, a gone one forgotten."""
    with running(tmp_path / "home", root) as run:
        write(root, {"a.py": "def uno():\n    pass\n", "new.py": "def fresh(): ...\n"})
        (root / "pkg" / "b.py").touch()
        for name in ("a.py", "new.py", "pkg/b.py", "notes.txt", "never.py"):
            run.indexer.file_changed(root / name)
        run.settle()
        assert {"a.py": ["uno"], "new.py": ["fresh"], "pkg/b.py": ["Two", "three"]} == run.rows()
        assert 4 == run.workspace().n_parsed
        (root / "new.py").unlink()
        run.indexer.file_changed(root / "new.py")
        run.settle()
        assert ["a.py", "pkg/b.py"] == sorted(run.rows())


def test_a_stale_row_heals_itself(root: Path, tmp_path: Path) -> None:
    """A lookup that meets a changed file answers without it and has it read again."""
    with running(tmp_path / "home", root) as run:
        write(root, {"a.py": "def one(x, y):\n    pass\n"})
        assert [] == run.indexer.lookup.definitions(root, ["one"], None)
        run.settle()
        found = run.indexer.lookup.definitions(root, ["one"], None)
        assert ["def one(x, y)"] == [each.signature for each in found]


def test_rebuilding_reads_everything_again(root: Path, tmp_path: Path) -> None:
    """Even what has not changed."""
    with running(tmp_path / "home", root) as run:
        run.indexer.rebuild(root)
        run.settle()
        assert 4 == run.workspace().n_parsed
        assert ROWS == run.rows()


def test_windows_are_counted(root: Path, tmp_path: Path) -> None:
    """The second window costs nothing; after the last is closed nothing is told and nothing found, but rows stay."""
    with running(tmp_path / "home", root, root) as run:
        assert 2 == run.workspace().n_parsed
        run.indexer.remove_workspace(root)
        run.settle()
        assert 1 == len(run.indexer.lookup.definitions(root, ["Two"], None))
        run.indexer.remove_workspace(root)
        run.indexer.remove_workspace(root)
        run.settle()
        assert () == run.indexer.status().workspaces
        assert [] == run.indexer.lookup.definitions(root, ["Two"], None)
        assert ROWS == run.rows()
        run.indexer.add_workspace(root)
        run.settle()
        assert 0 == run.workspace().n_parsed
        assert 1 == len(run.indexer.lookup.definitions(root, ["Two"], None))


def test_two_workspaces_are_kept_apart(root: Path, tmp_path: Path) -> None:
    """What one defines is not found from the other, also when one lies inside the other."""
    inner = root / "pkg"
    with running(tmp_path / "home", root, inner) as run:
        assert [2, 1] == [workspace.n_done for workspace in run.indexer.status().workspaces]
        assert [] == run.indexer.lookup.definitions(inner, ["one"], None)
        assert ["b.py"] == [found.relative for found in run.indexer.lookup.definitions(inner, ["Two"], None)]


def test_a_vanished_workspace_keeps_its_rows(root: Path, tmp_path: Path) -> None:
    """An unmounted disk is said as a problem; what was read is not thrown away."""
    with running(tmp_path / "home", root, poll_s=3600) as run:
        root.rename(tmp_path / "moved")
        run.indexer.refresh(root)
        run.settle()
        assert f"the folder {root} is not there" == run.indexer.status().problem
        assert "degraded" == run.workspace().phase.value
        assert ROWS == run.rows()
        (tmp_path / "moved").rename(root)
        run.indexer.refresh(root)
        run.settle()
        assert ("", 2) == (run.indexer.status().problem, run.workspace().n_parsed)


def test_our_own_state_inside_the_tree_is_not_indexed(root: Path) -> None:
    """A home of ours inside the workspace is left out, or the index would feed on itself."""
    home = root / "home"
    write(home, {"state/log/x.py": "def own(): ...\n"})
    with running(home, root) as run:
        assert ROWS == run.rows()


def test_the_index_does_not_lie_on_a_network_mount(root: Path, tmp_path: Path) -> None:
    """WAL needs shared memory that such mounts do not have: refused with the reason, and nothing is created."""
    home = tmp_path / "home"
    table = (Mount("/", "ext4", ""), Mount(str(home), "nfs4", ""))
    with running(home, root, parts={"mount_table": lambda: table}) as run:
        assert "cannot lie on a nfs4 file system" in run.indexer.status().problem
        assert [] == run.indexer.lookup.definitions(root, ["Two"], None)
        assert not run.store.exists()


def test_a_failure_that_may_pass_is_said_and_tried_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full for a while costs a round, not the index."""
    with running(tmp_path / "home", root) as run:

        def full(*_: object) -> None:
            raise StoreError("the index cannot be used: disk is full")

        write(root, {"a.py": "def uno(): ...\n"})
        with monkeypatch.context() as patch:
            patch.setattr(Store, "put_all", full)
            run.indexer.refresh(root)
            run.wait_until(lambda: "disk is full" in run.indexer.status().problem)
            assert "degraded" == run.workspace().phase.value
        run.indexer.refresh(root)
        run.settle()
        assert {"a.py": ["uno"], "pkg/b.py": ["Two", "three"]} == run.rows()
        assert "" == run.indexer.status().problem


def test_a_bug_in_a_turn_does_not_end_the_thread(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The one guard of the thread logs it, says so in the status, and goes on."""
    with running(tmp_path / "home", root) as run:

        def broken(*_: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setattr(Store, "files", broken)
            run.indexer.refresh(root)
            run.wait_until(lambda: "ZeroDivisionError" in run.indexer.status().problem)
        assert ["the indexer failed"] == [entry.message for entry in caplog.records if entry.levelname == "ERROR"]
        run.indexer.refresh(root)
        run.settle()
        assert "" == run.indexer.status().problem


def test_stopping_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    """What was not read before the stop is read at the next start."""
    root = tmp_path / "root"
    write(root, {f"m{n}.py": f"def f{n}(): ...\n" for n in range(60)})
    home = tmp_path / "home"
    with running(home) as run:
        run.indexer.add_workspace(root)
        run.wait_until(lambda: bool(run.statuses and run.statuses[-1].workspaces))
    with running(home, root) as run:
        assert {f"m{n}.py": [f"f{n}"] for n in range(60)} == run.rows()


def test_real_events_reach_the_rows(root: Path, tmp_path: Path) -> None:
    """With the system's own events: saving, adding, renaming and deleting show without being told."""
    with running(tmp_path / "home", root, watch="auto") as run:
        assert "events" == run.workspace().watching
        write(root, {"a.py": "def uno(): ...\n", "pkg/deep/new.py": "def fresh(): ...\n"})
        run.wait_until(
            lambda: run.rows() == {"a.py": ["uno"], "pkg/b.py": ["Two", "three"], "pkg/deep/new.py": ["fresh"]}
        )
        (root / "a.py").rename(root / "c.py")
        shutil.rmtree(root / "pkg" / "deep")
        run.wait_until(lambda: run.rows() == {"c.py": ["uno"], "pkg/b.py": ["Two", "three"]})
        write(root, {".gitignore": "pkg/\n"})
        run.wait_until(lambda: run.rows() == {"c.py": ["uno"]})


def test_polling_finds_changes_without_events(root: Path, tmp_path: Path) -> None:
    """At each interval the workspace is compared with the disk."""
    with running(tmp_path / "home", root, watch="poll", poll_s=0.1) as run:
        write(root, {"a.py": "def uno(): ...\n"})
        run.wait_until(lambda: run.rows()["a.py"] == ["uno"])
        assert "polling: as set by index.watch" == run.workspace().watching

"""Case 59: several openers at once (the index's half)."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from codeassistd.index.store import Store
from tests.support.indexing import REPO, running, write

pytestmark = pytest.mark.slow

N_PROCESSES, N_ROUNDS = 10, 20


def test_many_processes_may_open_a_fresh_store_together(tmp_path: Path) -> None:
    """Ten processes, twenty rounds: nobody sees an error, and everybody's rows are there."""
    with ExitStack() as stack:
        openers = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.support.openers", f"p{n}.py"],
                    cwd=REPO,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for n in range(N_PROCESSES)
        ]
        for number in range(N_ROUNDS):
            path = tmp_path / f"round{number}" / "index.db"
            for opener in openers:
                assert opener.stdin
                opener.stdin.write(f"{path}\n")
                opener.stdin.flush()
            assert ["ok"] * N_PROCESSES == [opener.stdout.readline().strip() for opener in openers if opener.stdout]
            with closing(Store.open(path)) as store:
                files = store.files(store.workspace(Path("/w")))
                assert {f"p{n}.py" for n in range(N_PROCESSES)} == set(files)
                assert [] == store.check_integrity()
        for opener in openers:
            assert opener.stdin
            opener.stdin.close()


def test_who_comes_second_waits_for_the_first(tmp_path: Path) -> None:
    """A writer that meets another's transaction gets its turn when that ends, instead of an error."""
    path = tmp_path / "index.db"

    def write_too() -> int:
        with closing(Store.open(path)) as second:
            return second.workspace(Path("/w"))

    with closing(Store.open(path)) as first, ThreadPoolExecutor(1) as thread:
        first._connection.execute("begin immediate")
        waiting = thread.submit(write_too)
        # It is waiting, or not even there yet: in no case is it refused.
        assert not waiting.done()
        first._connection.execute("commit")
        assert 1 == waiting.result()


def test_two_windows_have_one_indexer(tmp_path: Path) -> None:
    """The second window on a workspace reads nothing again, and both are served."""
    root = tmp_path / "root"
    write(root, {"a.py": "def one(): ...\n"})
    with running(tmp_path / "home", root, root) as run:
        assert (1, 1) == (len(run.indexer.status().workspaces), run.workspace().n_parsed)
        run.indexer.remove_workspace(root)
        run.settle()
        assert 1 == len(run.indexer.lookup.definitions(root, ["one"], None))


def test_two_indexers_on_one_store_do_not_disturb_each_other(tmp_path: Path) -> None:
    """`index build` beside a daemon: both end with the right rows."""
    one, two = tmp_path / "one", tmp_path / "two"
    write(one, {f"m{n}.py": f"def f{n}(): ...\n" for n in range(50)})
    write(two, {f"m{n}.py": f"def g{n}(): ...\n" for n in range(50)})
    with running(tmp_path / "home") as first, running(tmp_path / "home") as second:
        first.indexer.add_workspace(one)
        second.indexer.add_workspace(two)
        first.settle()
        second.settle()
        assert ("", "") == (first.indexer.status().problem, second.indexer.status().problem)
        assert 50 == first.workspace().n_symbols == second.workspace().n_symbols
        assert 1 == len(first.indexer.lookup.definitions(one, ["f7"], None))
        assert 1 == len(second.indexer.lookup.definitions(two, ["g7"], None))

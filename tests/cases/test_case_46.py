"""Case 46: the parser crashes, or its memory grows."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from tests.support.indexing import Running, running, write

pytestmark = pytest.mark.slow

N_FILES = 2000
N_SMALL = 400
#: Files of a usual size: a parser that keeps some of what it reads is seen by that.
TEXT = '"""' + "a line of a text that is read and says nothing\n" * 80 + '"""\n'
#: What a Python process and its allocator gain or lose by chance is about this much.
NOISE_BYTES = 4_000_000


def memory_bytes() -> int:
    """Memory of this process and its workers."""
    me = psutil.Process()
    return sum(process.memory_info().rss for process in [me, *me.children(recursive=True)])


def test_a_second_pass_takes_no_more_memory(tmp_path: Path) -> None:
    """2,000 files twice in one run: memory after the second pass is within 5 % of the first."""
    root = tmp_path / "root"
    code = "class C{n}:\n    def f(self, x):\n        return g{n}(x)\n"
    write(root, {f"p{n % 20}/m{n}.py": code.format(n=n) + TEXT for n in range(N_FILES)})
    with running(tmp_path / "home", root) as run:
        first = memory_bytes()
        run.indexer.rebuild(root)
        run.settle()
        second = memory_bytes()
        assert 2 * N_FILES == run.workspace().n_parsed
        assert second <= first * 1.05 + NOISE_BYTES


def test_a_crash_of_the_parser_costs_one_file(tmp_path: Path) -> None:
    """A file that makes the binding crash is marked failed; the daemon lives and the rest is indexed."""
    root = tmp_path / "root"
    write(root, {f"m{n}.py": f"def f{n}(): ...\n" for n in range(20)} | {"bad.py": "CRASH = 1\n"})
    with running(tmp_path / "home", root, parts={"extractor": "tests.support.extractors:crashing"}) as run:
        assert {"indexed": 20, "failed: the parser crashed": 1} == run.workspace().verdicts
        assert {f"m{n}.py": [f"f{n}"] for n in range(20)} | {"bad.py": []} == run.rows()


def test_workers_may_be_killed_at_any_time(tmp_path: Path) -> None:
    """A segmentation fault signalled from outside in mid-run costs at most the files being read."""
    root = tmp_path / "root"
    write(root, {f"m{n}.py": f"def f{n}(): ...\n" * 20 for n in range(N_SMALL)})
    with running(tmp_path / "home") as run:
        run.indexer.add_workspace(root)
        n_killed, n_left = 0, []
        for _ in range(3):
            # A worker that dies before it was ready has a fault of its own, and after three of them none is started.
            run.wait_until(lambda: are_ready(run))
            n_left.append(N_SMALL - run.workspace().n_done)
            for child in psutil.Process().children():
                with suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGSEGV)
                    n_killed += 1
        run.settle()
        verdicts = run.workspace().verdicts
        assert n_left[0] > 0
        assert N_SMALL == sum(verdicts.values())
        assert {"indexed", "failed: the parser crashed"} >= set(verdicts)
        assert verdicts.get("failed: the parser crashed", 0) <= n_killed


def are_ready(run: Running) -> bool:
    """Whether there are workers, and each has begun to read or waits for more."""
    workers = list(run.indexer._upkeep._pool._workers.values())
    return bool(workers) and all(worker.ready for worker in workers)


def test_rows_hold_plain_values_only(tmp_path: Path) -> None:
    """Numbers, strings and a hash: nothing of the parser's own outlives the worker."""
    root = tmp_path / "root"
    write(root, {"a.py": "import os\n\nclass A:\n    def f(self): return os\n"})
    with running(tmp_path / "home", root) as run, closing(sqlite3.connect(run.store)) as connection:
        kinds = {
            type(value)
            for table in ("files", "symbols", "refs", "imports", "chunks")
            for row in connection.execute(f"select * from {table}")
            for value in row
        }
    assert {int, str, bytes} == kinds

"""Comparing disk and store, and the order of the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.index.crawler import Crawl, compare
from codeassistd.index.ignore import FoundFile
from codeassistd.index.parsed import NO_GRAMMAR, Job, Limits
from codeassistd.index.store import FileRow

LIMITS = Limits(max_bytes=1000, max_line_bytes=100, timeout_s=3.0)


def job(path: str) -> Job:
    """A job for `path`."""
    return Job(Path("/w"), path, "python")


def test_only_differences_are_work() -> None:
    """Files whose size, time or language differ are read, newest first; rows without a file go."""
    files = {
        name: FoundFile(name, 10, mtime, "python")
        for name, mtime in [("same.py", 5), ("touched.py", 6), ("new.py", 9), ("relabelled.py", 7)]
    }
    rows = {
        "same.py": FileRow(10, 5, b"h", "python", "indexed"),
        "touched.py": FileRow(10, 5, b"h", "python", "indexed"),
        "relabelled.py": FileRow(10, 7, b"h", "cython", "indexed"),
        "gone.py": FileRow(10, 5, b"h", "python", "indexed"),
    }
    difference = compare(files, rows, LIMITS)
    assert ["new.py", "relabelled.py", "touched.py"] == [file.path for file in difference.changed]
    assert ("gone.py",) == difference.vanished


@pytest.mark.parametrize(
    ("verdict", "n_changed"),
    [
        ("indexed", 0),
        ("skipped: not text", 0),
        ("skipped: larger than 1000 bytes", 0),
        ("skipped: larger than 500 bytes", 1),
        ("skipped: a line is longer than 50 bytes", 1),
        ("failed: took longer than 3 s", 0),
        ("failed: took longer than 1 s", 1),
        ("failed: the parser crashed", 0),
        (NO_GRAMMAR, 1),
    ],
)
def test_a_verdict_is_asked_again_when_its_cause_is_gone(verdict: str, n_changed: int) -> None:
    """A file skipped by an old limit or for a missing grammar is read again, a hopeless one is not."""
    files = {"a.py": FoundFile("a.py", 10, 5, "python")}
    rows = {"a.py": FileRow(10, 5, b"", "python", verdict)}
    assert n_changed == len(compare(files, rows, LIMITS).changed)


def test_a_single_change_overtakes_the_crawl_and_has_one_place() -> None:
    """A file saved during a long crawl is read next, and once."""
    crawl = Crawl()
    crawl.replace([job("a"), job("b"), job("c")], n_current=7)
    crawl.put_first(job("c"))
    crawl.put_first(job("c"))
    assert (7, 10) == (crawl.n_done, crawl.n_total)
    assert ["c", "a", "b"] == [crawl.take().path for _ in range(3)]
    assert not crawl.has_work


def test_a_file_is_with_one_worker_at_most() -> None:
    """A change of a file that is being read waits for that reading, then follows it."""
    crawl = Crawl()
    crawl.put_first(job("a"))
    first = crawl.take()
    crawl.put_first(job("a"))
    crawl.replace([job("a"), job("b")], n_current=0)
    assert ["b"] == [crawl.take().path]
    crawl.finish(first)
    assert 2 == crawl.n_left
    assert "a" == crawl.take().path


def test_a_job_that_comes_back_undone_stands_first() -> None:
    """What was with a worker that died is not lost."""
    crawl = Crawl()
    crawl.replace([job("a"), job("b")], n_current=0)
    crawl.give_back(crawl.take())
    assert "a" == crawl.take().path
    assert 2 == crawl.n_left

"""When what was read of a workspace is written."""

from __future__ import annotations

from pathlib import Path

from codeassistd.index.parsed import Job, Parsed
from codeassistd.index.workspace import Workspace

ROOT = Path("/w")


def crawling(*paths: str) -> Workspace:
    """A workspace in which files wait to be read."""
    workspace = Workspace(ROOT)
    workspace.crawl.replace([Job(ROOT, path, "python") for path in paths], n_current=0)
    return workspace


def read(workspace: Workspace, now_s: float) -> None:
    """The next file is read."""
    workspace.keep_unwritten(workspace.crawl.take(), Parsed(1, 1, b"", "indexed"), now_s)


def test_a_file_that_nothing_waits_behind_is_written_at_once() -> None:
    """A saved file does not wait for others."""
    workspace = crawling("a.py")
    assert workspace.write_due_s is None
    read(workspace, 5.0)
    assert 0.0 == workspace.write_due_s
    assert ["a.py"] == [job.path for job, _ in workspace.take_unwritten()]
    assert workspace.write_due_s is None


def test_while_files_wait_some_are_written_together() -> None:
    """Those of a fifth of a second, or the thirty-two that come first."""
    workspace = crawling(*(f"{number:02}.py" for number in range(100)))
    read(workspace, 5.0)
    read(workspace, 5.1)
    assert 5.2 == workspace.write_due_s
    for _ in range(30):
        read(workspace, 5.1)
    assert 0.0 == workspace.write_due_s
    assert 32 == len(workspace.take_unwritten())
    read(workspace, 6.0)
    assert 6.2 == workspace.write_due_s


def test_starting_over_forgets_what_was_not_written() -> None:
    """After an error all is compared and read anew: what was read before may not be written over that."""
    workspace = crawling("a.py", "b.py")
    read(workspace, 5.0)
    workspace.start_over(7.0)
    assert ([], 0, True) == (workspace.take_unwritten(), workspace.crawl.n_left, workspace.missed)
    assert 7.0 == workspace.due_s

"""The queue of events."""

from __future__ import annotations

import threading
from pathlib import Path

from codeassistd.index.inbox import FileTouched, Inbox, RefreshAsked, WorkspaceAdded
from tests.support.indexing import PATIENCE_S


def test_equal_events_have_one_place() -> None:
    """A file touched again and again while the reader is busy is looked at once, at its first place."""
    inbox = Inbox()
    a, b = FileTouched(Path("/a")), FileTouched(Path("/b"))
    for event in (a, b, a, a):
        inbox.put(event)
    assert [a, b, None] == [inbox.get(0, resting=True) for _ in range(3)]


def test_two_windows_are_two_events() -> None:
    """Openings are counted, so they are never merged."""
    inbox = Inbox()
    for _ in range(2):
        inbox.put(WorkspaceAdded(Path("/w")))
    assert [True, True, False] == [inbox.get(0, resting=True) is not None for _ in range(3)]


def test_rest_is_when_the_reader_says_so_and_nothing_waits() -> None:
    """Whoever waits for rest is let go only when the reader waits with nothing left to do."""
    inbox = Inbox()
    inbox.put(RefreshAsked(Path("/w")))
    assert not inbox.wait_until_resting(0)
    inbox.get(0, resting=False)
    inbox.get(0, resting=False)
    assert not inbox.wait_until_resting(0)
    reader = threading.Thread(target=inbox.get, args=(PATIENCE_S,), kwargs={"resting": True})
    reader.start()
    assert inbox.wait_until_resting(PATIENCE_S)
    inbox.put(RefreshAsked(Path("/w")))
    reader.join()
    assert not inbox.wait_until_resting(0)
    inbox.close()
    assert inbox.wait_until_resting(0)

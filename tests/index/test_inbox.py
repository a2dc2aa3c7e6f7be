"""The queue of events."""

from __future__ import annotations

from pathlib import Path

from codeassistd.index.inbox import FileTouched, Inbox, RefreshAsked, WorkspaceAdded

HERE, ELSEWHERE = Path("/here"), Path("/elsewhere")


def test_equal_events_have_one_place() -> None:
    """A file touched again and again while the reader is busy is looked at once, at its first place."""
    inbox = Inbox()
    a, b = FileTouched(Path("/a")), FileTouched(Path("/b"))
    for event in (a, b, a, a):
        inbox.put(event)
    assert [a, b, None] == [inbox.get(0) for _ in range(3)]


def test_two_windows_are_two_events() -> None:
    """Openings are counted, so they are never merged."""
    inbox = Inbox()
    for _ in range(2):
        inbox.put(WorkspaceAdded(Path("/w")))
    assert [True, True, False] == [inbox.get(0) is not None for _ in range(3)]


def test_rest_is_when_all_that_was_asked_is_dealt_with_and_nothing_follows() -> None:
    """The reader says so when it comes for the next event; until then nobody is let go."""
    inbox = Inbox()
    inbox.put(RefreshAsked(HERE))
    assert not inbox.wait_until_resting(0)
    inbox.get(0)
    assert not inbox.wait_until_resting(0)
    inbox.get(0, busy=frozenset({HERE}))
    assert not inbox.wait_until_resting(0)
    inbox.get(0)
    assert inbox.wait_until_resting(0)


def test_no_workspace_waits_for_another_to_rest() -> None:
    """Its own events are enough, whatever the busy one has in store."""
    inbox = Inbox()
    inbox.put(RefreshAsked(HERE))
    inbox.get(0)
    inbox.get(0, busy=frozenset({ELSEWHERE}))
    assert [True, False, False] == [inbox.wait_until_resting(0, root) for root in (HERE, ELSEWHERE, None)]
    inbox.put(RefreshAsked(HERE))
    assert not inbox.wait_until_resting(0, HERE)
    for _ in range(2):
        inbox.get(0, busy=frozenset({ELSEWHERE}))
    assert inbox.wait_until_resting(0, HERE)


def test_a_closed_inbox_keeps_nobody_waiting() -> None:
    """There is no reader any more."""
    inbox = Inbox()
    inbox.put(RefreshAsked(HERE))
    inbox.close()
    assert inbox.wait_until_resting(0)

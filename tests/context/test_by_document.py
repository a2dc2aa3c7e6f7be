"""What is remembered of documents."""

from __future__ import annotations

from codeassistd.context.by_document import ByDocument


def test_each_clients_document_has_its_own() -> None:
    """A value takes the place of the one before; what was dropped, or never put, is not known."""
    known = ByDocument[str]()
    known.put(("one", "file:///a"), "old")
    known.put(("one", "file:///a"), "new")
    known.put(("two", "file:///a"), "other")
    assert "new" == known.get(("one", "file:///a"))
    assert "other" == known.get(("two", "file:///a"))
    known.drop(("one", "file:///a"))
    known.drop(("one", "file:///b"))
    assert known.get(("one", "file:///a")) is None


def test_of_too_many_the_ones_put_longest_ago_go() -> None:
    """One that is put again counts as new."""
    known = ByDocument[int]()
    for number in range(64):
        known.put(("", f"file:///{number}"), number)
    known.put(("", "file:///0"), 0)
    known.put(("", "file:///64"), 64)
    assert known.get(("", "file:///1")) is None
    assert [0, 2, 64] == [known.get(("", f"file:///{number}")) for number in (0, 2, 64)]

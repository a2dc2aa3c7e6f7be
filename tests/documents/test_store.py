"""Documents follow the editor byte for byte, or say that they cannot."""

from __future__ import annotations

import logging

import pytest

from codeassistd.documents.document import TextChange
from codeassistd.documents.store import DocumentStore
from codeassistd.text import Position, PositionEncoding

URI = "file:///w/a.py"


def insert(line: int, character: int, text: str) -> TextChange:
    return TextChange(text, Position(line, character), Position(line, character))


def replace(start: tuple[int, int], end: tuple[int, int], text: str) -> TextChange:
    return TextChange(text, Position(*start), Position(*end))


def text_of(store: DocumentStore) -> str:
    document = store.get(URI)
    assert document is not None
    return str(document.text)


def opened(text: str, version: int = 1, encoding: PositionEncoding = PositionEncoding.UTF16) -> DocumentStore:
    store = DocumentStore(encoding)
    store.open(URI, "python", version, text)
    return store


def test_an_opened_document_is_a_snapshot_with_its_path() -> None:
    """Opening gives what the editor said, and where the file lies."""
    document = opened("x = 1\n").get(URI)
    assert document is not None
    assert ("/w/a.py", "python", 1, "x = 1\n") == (
        document.path.as_posix() if document.path else None,
        document.language,
        document.version,
        str(document.text),
    )


def test_several_changes_of_one_notification_build_on_each_other() -> None:
    """The second change counts positions in what the first one left."""
    store = opened("ab\n")
    store.change(URI, 2, [insert(0, 1, "\n"), insert(1, 0, "X"), replace((0, 0), (0, 1), "")])
    assert "\nXb\n" == text_of(store)


def test_a_change_without_a_range_replaces_the_whole_text() -> None:
    """Full synchronisation works beside incremental."""
    store = opened("old")
    store.change(URI, 2, [TextChange("new text"), insert(0, 3, "er")])
    assert "newer text" == text_of(store)


def test_snapshots_stay_as_they_are() -> None:
    """A reader keeps the version it was given."""
    store = opened("a")
    before = store.get(URI)
    store.change(URI, 2, [insert(0, 1, "b")])
    assert before is not None
    assert "a" == str(before.text)


@pytest.mark.parametrize(
    ("encoding", "character"),
    [(PositionEncoding.UTF8, 5), (PositionEncoding.UTF16, 3), (PositionEncoding.UTF32, 2)],
)
def test_positions_count_in_the_sessions_encoding(encoding: PositionEncoding, character: int) -> None:
    """The place after `😀x` is 5 bytes, 3 UTF-16 units or 2 letters in."""
    store = opened("😀x\n", encoding=encoding)
    store.change(URI, 2, [insert(0, character, "!")])
    assert "😀x!\n" == text_of(store)


def test_half_a_letter_can_be_replaced() -> None:
    """An editor that compares UTF-16 units turns 😀 into 😁 by replacing the second unit only."""
    store = opened("a😀b")
    store.change(URI, 2, [replace((0, 2), (0, 3), "\ude01")])
    assert "a😁b" == text_of(store)


def test_halves_typed_one_after_the_other_become_a_letter() -> None:
    """Two edits may bring the halves of one letter, in either order."""
    store = opened("ab")
    store.change(URI, 2, [insert(0, 1, "\ud83d")])
    store.change(URI, 3, [insert(0, 2, "\ude00")])
    assert "a😀b" == text_of(store)
    store.change(URI, 4, [replace((0, 1), (0, 3), "\ude00")])
    store.change(URI, 5, [insert(0, 1, "\ud83d")])
    assert "a😀b" == text_of(store)


def test_a_range_given_back_to_front_means_the_same() -> None:
    """Some clients give a selection as it was made."""
    store = opened("abcd")
    store.change(URI, 2, [replace((0, 3), (0, 1), "-")])
    assert "a-d" == text_of(store)


def test_ranges_past_the_end_are_clamped() -> None:
    """A line or column that does not exist is the nearest place that does."""
    store = opened("ab\ncd")
    store.change(URI, 2, [insert(9, 9, "!"), insert(0, 99, "?")])
    assert "ab?\ncd!" == text_of(store)


def test_a_change_that_is_not_newer_puts_the_document_out_of_sync(caplog: pytest.LogCaptureFixture) -> None:
    """It is not applied, it is logged once, and the next edits do not heal it."""
    store = opened("a", version=3)
    with caplog.at_level(logging.WARNING):
        assert store.change(URI, 3, [insert(0, 0, "x")]) is None
        assert store.change(URI, 2, [insert(0, 0, "y")]) is None
        assert store.change(URI, 4, [insert(0, 0, "z")]) is None
    assert ["a document is out of sync until its full text arrives again: version 3 came after version 3"] == (
        caplog.messages
    )
    assert ("a", False) == (text_of(store), store.in_sync(URI))


def test_a_newer_full_text_heals_the_document() -> None:
    """Edits before the full text in the same notification no longer matter, those after it do."""
    store = opened("a", version=3)
    store.change(URI, 1, [insert(0, 0, "x")])
    store.change(URI, 4, [insert(0, 0, "lost"), TextChange("full"), insert(0, 4, "er")])
    assert ("fuller", True) == (text_of(store), store.in_sync(URI))


def test_opening_again_heals_the_document() -> None:
    """Full text is the truth whatever its version."""
    store = opened("a", version=9)
    store.change(URI, 9, [insert(0, 0, "x")])
    store.open(URI, "python", 1, "b")
    assert ("b", True) == (text_of(store), store.in_sync(URI))
    store.change(URI, 2, [insert(0, 1, "c")])
    assert "bc" == text_of(store)


def test_a_change_of_a_document_that_is_not_open_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged once; a later opening starts clean."""
    store = DocumentStore()
    with caplog.at_level(logging.WARNING):
        assert store.change(URI, 2, [insert(0, 0, "x")]) is None
        assert store.change(URI, 3, [insert(0, 0, "x")]) is None
    assert ["a change of a document that is not open was ignored"] == caplog.messages
    assert not store.in_sync(URI)
    store.open(URI, "python", 4, "ok")
    assert store.in_sync(URI)


def test_an_unreadable_change_puts_the_document_out_of_sync() -> None:
    """An edit that could not be parsed is an edit that is missing."""
    store = opened("a")
    store.missed(URI)
    store.missed("file:///other")
    assert (False, False) == (store.in_sync(URI), store.in_sync("file:///other"))


def test_a_closed_document_is_forgotten() -> None:
    """Closing twice, or closing what was never open, does no harm."""
    store = opened("a")
    store.close(URI)
    store.close(URI)
    assert (None, False, 0) == (store.get(URI), store.in_sync(URI), len(store))


def test_all_lists_the_open_documents_in_order() -> None:
    """The order of opening."""
    store = opened("a")
    store.open("untitled:Untitled-1", "python", 1, "")
    assert [URI, "untitled:Untitled-1"] == [document.uri for document in store.all()]

"""What an edit changes, told by the editor or found by a comparison."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codeassistd.documents.change import Change
from codeassistd.documents.document import Document, TextChange
from codeassistd.documents.store import DocumentStore
from codeassistd.text import Position

URI = "untitled:a"
SMALL = st.binary(max_size=12).map(lambda content: bytes(byte % 3 + 97 for byte in content))


@given(SMALL, SMALL)
def test_a_change_between_two_texts_makes_the_one_of_the_other(before: bytes, after: bytes) -> None:
    """And nothing that both begin or end with belongs to it."""
    change = Change.between(before, after)

    assert after == change.applied(before)
    assert after[change.start : change.inserted_end] == change.inserted
    assert len(after) - len(before) == change.growth
    if change.removed and change.inserted:
        assert change.removed[:1] != change.inserted[:1]
        assert change.removed[-1:] != change.inserted[-1:]


def typed(*changes: TextChange, text: str = "é = 1\nb = 2\n") -> tuple[Document, Document]:
    """A document before and after one notification."""
    store = DocumentStore()
    before = store.open(URI, "python", 1, text)
    after = store.change(URI, 2, changes)
    assert after is not None
    return before, after


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> TextChange:
    return TextChange(text, Position(*start), Position(*end))


def test_a_version_knows_the_edits_that_made_it() -> None:
    """In bytes, each in the text that the one before it left, and no more than what they change."""
    before, after = typed(edit((1, 4), (1, 5), "23"), edit((0, 0), (0, 0), "import os\n"))

    assert (Change(12, b"", b"3"), Change(0, b"", b"import os\n")) == after.changes
    content = before.text.content
    for change in after.changes_since(before):
        content = change.applied(content)
    assert after.text.content == content


def test_a_full_text_is_compared() -> None:
    """Nobody has told what is new in it."""
    before, after = typed(TextChange("é = 1\nb = 42\n"))

    assert () == after.changes
    assert (Change(11, b"", b"4"),) == after.changes_since(before)


def test_an_edit_in_the_middle_of_a_letter_is_compared() -> None:
    """Half of an emoji is replaced: its bytes are not those that the editor counts."""
    before, after = typed(edit((0, 1), (0, 2), "\ude01"), text="😀")

    assert "😁" == str(after.text)
    assert () == after.changes
    assert (Change(3, b"\x80", b"\x81"),) == after.changes_since(before)

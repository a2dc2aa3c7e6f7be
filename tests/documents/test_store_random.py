"""Random edits, against a reference that keeps a plain array of UTF-16 units."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.documents.document import TextChange
from codeassistd.documents.store import DocumentStore
from codeassistd.text import Position
from tests.support.reference_text import ReferenceText

URI = "file:///w/a.py"
_PIECES = st.sampled_from(
    ["", "a", "xyz", "é", "km²", "日本", "😀", "👩‍👩‍👧", "\r\n", "\n", "\r", "\u2028", "\f", "\t", "\ud83d", "\ude00"]
)
_TEXTS = st.lists(_PIECES, max_size=8).map("".join)
_PLACES = st.floats(min_value=0, max_value=1)
_EDITS = st.lists(st.tuples(_PLACES, _PLACES, _TEXTS), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(start=_TEXTS, notifications=st.lists(_EDITS, max_size=6))
def test_any_edits_keep_the_text_equal(start: str, notifications: list[list[tuple[float, float, str]]]) -> None:
    """Whatever the places, even inside a letter, the bytes are the editor's after each notification."""
    store, reference = DocumentStore(), ReferenceText(start)
    store.open(URI, "python", 0, start)
    for version, edits in enumerate(notifications, 1):
        changes = []
        for first, last, text in edits:
            low, high = sorted((round(first * len(reference.units)), round(last * len(reference.units))))
            begin, end = reference.position_at(low), reference.position_at(high)
            changes.append(TextChange(text, Position(*begin), Position(*end)))
            reference.replace(begin, end, text)
        document = store.change(URI, version, changes)
        assert document is not None
        assert reference.content == document.text.content

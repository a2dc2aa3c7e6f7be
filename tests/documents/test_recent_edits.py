"""What the user has just changed."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from codeassistd.documents.document import Document
from codeassistd.documents.recent_edits import Edit, RecentEdits
from codeassistd.text import Text

LINES = [f"line {number}" for number in range(100)]


def document(text: str, version: int = 1, name: str = "a.py") -> Document:
    return Document(f"file:///w/{name}", Path(f"/w/{name}"), "python", version, Text.of(text))


def with_line(number: int, new: str, name: str = "a.py", lines: list[str] = LINES) -> Document:
    return document("\n".join([*lines[:number], new, *lines[number + 1 :]]), name=name)


def test_letters_of_a_line_are_one_edit() -> None:
    """Whole lines, before and after."""
    edits = RecentEdits()
    before = document("\n".join(LINES))
    for number, new in enumerate(("line 5 a", "line 5 ab", "line 5 abc")):
        after = with_line(5, new)
        edits.changed(before, after, 10.0 * number)
        before = after

    assert (Edit("file:///w/a.py", Path("/w/a.py"), 5, ("line 5",), ("line 5 abc",)),) == edits.edits()


def test_changes_far_off_and_later_are_edits_of_their_own() -> None:
    """Nine lines and more than a second; within either they are one."""
    for line, now_s, expected in ((20, 5.0, 2), (13, 5.0, 1), (20, 0.5, 1)):
        edits = RecentEdits()
        first = with_line(5, "new")
        edits.changed(document("\n".join(LINES)), first, 0.0)
        second = document(str(first.text).replace(f"line {line}\n", "newer\n"))
        edits.changed(first, second, now_s)

        assert expected == len(edits.edits())


def test_the_last_eight_are_kept() -> None:
    """The oldest goes."""
    edits = RecentEdits()
    for number in range(10):
        edits.changed(document("a", name=f"{number}.py"), document("b", name=f"{number}.py"), 10.0 * number)

    assert [f"{number}.py" for number in range(2, 10)] == [edit.path.name for edit in edits.edits() if edit.path]


def test_what_was_undone_is_no_edit() -> None:
    """Nothing stands there that did not before."""
    edits = RecentEdits()
    edits.changed(document("a"), document("ab"), 0.0)
    edits.changed(document("ab"), document("a"), 1.0)

    assert () == edits.edits()


def test_nothing_is_kept_of_a_closed_document() -> None:
    """Nor of one that is too long."""
    edits = RecentEdits()
    edits.changed(document("a"), document("b"), 0.0)
    edits.closed("file:///w/a.py")
    edits.changed(document("a" * 600_000), document("b" * 600_000), 0.0)

    assert () == edits.edits()


@given(st.text("ab\n", max_size=12), st.text("ab\n", max_size=12))
def test_a_change_is_one_edit_with_lines_of_both_texts(one: str, two: str) -> None:
    """For any two texts, its lines are a part of each."""
    edits = RecentEdits()
    edits.changed(document(one), document(two), 0.0)
    found = edits.edits()
    assert (one != two) == len(found)
    for edit in found:
        assert "\n".join(edit.before) in one
        assert "\n".join(edit.after) in two

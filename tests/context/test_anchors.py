"""Where the text before a cursor is parted, while lines are typed."""

from __future__ import annotations

from codeassistd.context.anchors import Anchors
from codeassistd.context.window import Window, look
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text

KEY = ("editor", "file:///a.py")


def window_at(source: str) -> Window:
    """The window at the mark."""
    text, offset = marked(source)
    return look(Text.of(text), offset, 10_000)


def part(anchors: Anchors, source: str) -> tuple[str, str, int]:
    """The text in front of the parting, that behind it, and the line it begins with."""
    parted = anchors.part(KEY, window_at(source))
    return parted.above, parted.head, parted.line


def test_typed_lines_stay_behind_the_parting() -> None:
    """The text in front of it is the same, key by key, line by line."""
    anchors = Anchors()
    assert ("a\nb\n", "", 2) == part(anchors, "a\nb\n|\nz\n")
    assert ("a\nb\n", "c", 2) == part(anchors, "a\nb\nc|\nz\n")
    assert ("a\nb\n", "c\n", 2) == part(anchors, "a\nb\nc\n|\nz\n")
    assert ("a\nb\n", "c\n\n  d", 2) == part(anchors, "a\nb\nc\n\n  d|\nz\n")


def test_it_moves_to_the_cursor() -> None:
    """After some lines, when the cursor goes up or far away, and when the text in front of it changes."""
    anchors = Anchors()
    part(anchors, "|0\n1\n")
    assert part(anchors, "0\n1\n2|\n")[2] == 0
    for source, line in (("0\n1\n2\n3\n4\n5\n6\n7\n8\n|", 9), ("0\n1\n|", 2), ("0\n1\n2\n|", 2), ("0\nx\n2\n|", 3)):
        assert line == part(anchors, source)[2]


def test_another_document_has_its_own() -> None:
    """And so has another editor."""
    anchors = Anchors()
    part(anchors, "a\n|")
    other = anchors.part(("editor", "file:///b.py"), window_at("a\nb|"))
    assert ("a\n", "b") == (other.above, other.head)

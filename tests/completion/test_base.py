"""What was typed at a cursor since an answer was asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.completion.base import Base
from codeassistd.documents.document import Document
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text


def at(source: str, uri: str = "file:///a.py") -> Base:
    text, offset = marked(source)
    return Base(Document(uri, Path("/a.py"), "python", 1, Text.of(text)), offset)


def typed(before: str, after: str) -> str | None:
    now = at(after)
    return at(before).typed(now.document, now.offset)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("x = |\ny\n", "x = |\ny\n", ""),
        ("x = |\ny\n", "x = pr|\ny\n", "pr"),
        ("x = größ|", "x = größe|", "e"),
        ("x = |\r\ny", "x = \r\n    |\r\ny", "\n    "),
        # The editor closes what was opened.
        ("f|", "f(|)", "("),
        ("f|\nx", "f(a, [|])\nx", "(a, ["),
        ("f|", 'f("|")', '("'),
        ("f|", "f {\n    |\n}", " {\n    "),
        ("x = |", 'x = """|"""', '"""'),
        ("f(|)", "f(a)|", "a)"),
        # Something else was changed.
        ("x = pr|", "x = p|", None),
        ("x = |\ny\n", "x = p|\nz\n", None),
        ("w\nx = |", "v\nx = p|", None),
        ("f|", "f(|]", None),
        ("f|", "f|)", None),
        ("f(|)", "f(a|", None),
        ("f(|a)", "f(b|)", None),
    ],
)
def test_typing_on_is_told_from_other_changes(before: str, after: str, expected: str | None) -> None:
    """Closers that the editor puts in or lets be typed over are part of typing."""
    assert expected == typed(before, after)


def test_another_document_is_another_text() -> None:
    """Whatever it says; a language is part of it."""
    base = at("x = |")
    assert base.typed(replace(base.document, uri="file:///b.py"), base.offset) is None
    assert base.typed(replace(base.document, language="go"), base.offset) is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("x = |\ny", "x = ab\ny", "ab"), ("f|", "f()", "()"), ("x = a|", "x = ", None), ("x|\ny", "z\ny", None)],
)
def test_without_a_cursor_all_that_came_in_between_counts(before: str, after: str, expected: str | None) -> None:
    """A change of the document is known before its cursor is."""
    assert expected == at(before).between(at(f"{after}|").document)

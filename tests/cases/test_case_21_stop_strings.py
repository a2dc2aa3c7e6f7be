"""Case 21: fences, comments and line breaks do not cut real code."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at


@pytest.mark.parametrize(
    "fence", ["```python\nvalue = 1\n```", "```\nvalue = 1\n```\n", "~~~py\nvalue = 1\n~~~", "\n```\nvalue = 1"]
)
def test_a_fence_is_taken_off(fence: str) -> None:
    """The code inside is the suggestion."""
    assert "value = 1" == final("|", fence)


def test_what_follows_the_fence_is_not_code() -> None:
    """A chat model explains itself below."""
    assert "value = 1" == final("|", "value = 1\n```\nThis sets the value.")


def test_fences_of_a_document_with_fences_stay() -> None:
    """In a text that holds fences they are part of it."""
    marked = "# Title\n\n```\na\n```\n\nSee:\n|"
    assert marked.replace("|", "text\n```\nb\n```") == final(marked, "text\n```\nb\n```", "markdown")


def test_a_comment_is_code() -> None:
    """Comment marks end nothing."""
    marked = "function f() {\n  |\n}\n"
    raw = "// first\n  one(); // and more\n  two();"
    assert marked.replace("|", raw) == final(marked, raw, "typescript")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("def f():|", "\n    return 1", "def f():\n    return 1"),
        ("def f():\n    |", "\n    return 1", "def f():\n    return 1"),
        ("x = 1|", "\ny = 2", "x = 1\ny = 2"),
        ("x = 1|", "\n\n\n\n\ny = 2", "x = 1\n\ny = 2"),
    ],
)
def test_a_leading_break_is_not_the_end(marked: str, raw: str, expected: str) -> None:
    """The item is not empty because the model began with a new line."""
    assert expected == final(marked, raw)


def test_a_blank_line_inside_a_body_is_kept() -> None:
    """Bodies have paragraphs."""
    marked = "def f():\n    |"
    assert marked.replace("|", "a = 1\n\n    b = 2") == final(marked, "a = 1\n\n    b = 2")


def test_a_blank_only_fence_is_no_item() -> None:
    """Nothing inside is nothing to show."""
    assert None is fit_at("|", "```\n\n```").text

"""Case 16: a suggestion on a blank line, and one made of blanks."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at


def test_the_body_of_an_opened_block_is_indented() -> None:
    """After a head the model's blanks are wanted."""
    assert "def f():\n    return 1" == final("def f():\n|", "    return 1")


@pytest.mark.parametrize("raw", ["return 1", "  return 1", "\n    return 1", "    return 1\n\n\n"])
def test_a_body_is_never_as_shallow_as_its_head(raw: str) -> None:
    """The block that was opened gets its body at the file's own depth."""
    assert "x = [\n    1,\n]\n\n\ndef f():\n    return 1" == final("x = [\n    1,\n]\n\n\ndef f():\n|", raw)


def test_no_indentation_that_no_neighbour_has() -> None:
    """Beside lines at column 0 a line stands at column 0."""
    assert "a = 1\nb = 2\nc = 3" == final("a = 1\nb = 2\n|", "  c = 3")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("def f():\n    a = 1\n|", "    b = 2", "def f():\n    a = 1\n    b = 2"),
        ("def f():\n    a = 1\n|", "      b = 2", "def f():\n    a = 1\n    b = 2"),
        ("def f():\n    return 1\n|", "def g():", "def f():\n    return 1\ndef g():"),
        ("x = f(\n    a,\n|)", "    b,", "x = f(\n    a,\n    b,)"),
    ],
)
def test_a_line_stands_at_a_depth_that_is_open(marked: str, raw: str, expected: str) -> None:
    """The depths are those of the lines that hold the cursor; inside brackets any will do."""
    assert expected == final(marked, raw)


@pytest.mark.parametrize("raw", ["", " ", "\t", "\n", "\n\n  \n", "\r\n", "   \n\t\n"])
@pytest.mark.parametrize("marked", ["x = |", "def f():\n    |", "|", "f(|)"])
def test_blanks_are_no_suggestion(marked: str, raw: str) -> None:
    """An invisible suggestion would only swallow the accept key."""
    assert None is fit_at(marked, raw).text

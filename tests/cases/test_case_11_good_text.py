"""Case 11: trimming must not cut good text."""

from __future__ import annotations

import pytest

from tests.support.fitting import final


def test_inner_closing_lines_are_kept() -> None:
    """A body with closing lines inside stays whole, whatever the next line of the document is."""
    marked = "function f() {\n  |\n}\n"
    raw = "if (a) {\n    one();\n  }\n  two();"
    expected = "function f() {\n  if (a) {\n    one();\n  }\n  two();\n}\n"
    assert expected == final(marked, raw, "javascript")


def test_a_body_that_ends_in_an_inner_closer_is_kept() -> None:
    """The last line closes a block of the body, not the one below."""
    marked = "function f() {\n  |\n}\n"
    raw = "if (a) {\n    one();\n    two();\n  }"
    expected = "function f() {\n  if (a) {\n    one();\n    two();\n  }\n}\n"
    assert expected == final(marked, raw, "javascript")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("f(|)", "max(a, b) + min(c, d)", "f(max(a, b) + min(c, d))"),
        ("f(|)", "a) + g(b", "f(a) + g(b)"),
        ("f(|)", "a) + g(b)", "f(a) + g(b)"),
        ("f(|)", '")"', 'f(")")'),
        ("|x", "max(x, y) + ", "max(x, y) + x"),
        ("|x", "x = y + ", "x = y + x"),
        ("|\nx", "y = x + 1", "y = x + 1\nx"),
        ("    |\n    return total", "total = total + 1", "    total = total + 1\n    return total"),
        ("the |cat", "big ", "the big cat"),
    ],
)
def test_only_an_overlap_at_the_very_end_is_removed(marked: str, raw: str, expected: str) -> None:
    """Brackets that belong to the answer, and words that occur below, are no overlap."""
    assert expected == final(marked, raw)


def test_a_legal_repeated_word_is_kept() -> None:
    """The same call may stand on two lines one after the other, if they differ."""
    assert "beep(1)\nbeep(2)\n" == final("|\nbeep(2)\n", "beep(1)")

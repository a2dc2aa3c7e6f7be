"""Case 9: a block that repeats the closers which stand behind the cursor or below it."""

from __future__ import annotations

import pytest

from tests.support.fitting import final


@pytest.mark.parametrize("raw", ["\n  show(item)\n})", "\n  show(item)", "\n  show(item)\n", "\n  show(item)\n});"])
def test_closers_on_the_cursors_line_are_kept_single(raw: str) -> None:
    """The closers behind the cursor end up on a line of their own, once."""
    assert "items.each(item => {\n  show(item)\n})" == final("items.each(item => {|})", raw, "javascript")


def test_a_last_line_that_stands_below_is_dropped() -> None:
    """The block's closing line is there already."""
    marked = "function f() {\n  if (x) {\n    |\n  }\n}\n"
    expected = "function f() {\n  if (x) {\n    show(x);\n  }\n}\n"
    assert expected == final(marked, "show(x);\n  }", "javascript")


def test_blank_lines_between_do_not_hide_the_closing_line() -> None:
    """The next line that is not blank counts."""
    marked = "function f() {\n  |\n\n}\n"
    assert "function f() {\n  show(x);\n\n}\n" == final(marked, "show(x);\n}", "javascript")


def test_a_closing_line_of_another_depth_is_kept() -> None:
    """A bracket that closes an inner block is not the one below."""
    marked = "function f() {\n  if (x) {\n    |\n}\n"
    expected = "function f() {\n  if (x) {\n    show(x);\n  }\n}\n"
    assert expected == final(marked, "show(x);\n  }", "javascript")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("function f() {|\n}\n", " g(); }", "function f() { g();\n}\n"),
        ("function f() {\n  g(|\n}\n", "x); }", "function f() {\n  g(x);\n}\n"),
        # Its own block.
        ("function f() {\n  |\n}\n", "if (x) { g(); }", "function f() {\n  if (x) { g(); }\n}\n"),
        # The line below closes another one, and this one is not closed yet.
        ("class A {\n  f() {|\n}\n", " g(); }", "class A {\n  f() { g(); }\n}\n"),
    ],
)
def test_a_closer_at_the_end_of_a_line_is_kept_single(marked: str, raw: str, expected: str) -> None:
    """The line below closes the block already, unless a block that lacks its closer is meant."""
    assert expected == final(marked, raw, "javascript")

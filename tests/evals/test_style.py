"""Whether a suggestion keeps to the format of its file."""

from __future__ import annotations

import pytest

from codeassistd.evals.style import format_of

FOUR = "def f(a):\n    if a:\n        return 1\n    "
TABS = "func f() {\n\tif a {\n\t\treturn\n\t}\n\t"


@pytest.mark.parametrize(
    ("before", "inserted", "kept"),
    [
        (FOUR, "b = 1", True),
        (FOUR, "while b:\n        b = 1", True),
        (FOUR, "while b:\n      b = 1", False),
        (FOUR, "while b:\n\t\tb = 1", False),
        (FOUR, "b = g(\n          1,\n    )", True),
        (FOUR + "b", " = 1", None),
        (TABS, "for {\n\t\tx()\n\t}", True),
        (TABS, "for {\n        x()\n\t}", False),
        ("a = 1\n", "b = 2", None),
    ],
)
def test_lines_are_indented_as_the_file_does(before: str, inserted: str, *, kept: bool | None) -> None:
    """In whole steps of its own blanks; what stands in an open bracket may be aligned with it."""
    assert kept == format_of(before, inserted, "\n", "").indent


@pytest.mark.parametrize(
    ("inserted", "kept"),
    [
        ('y = "d"', True),
        ("y = 'd'", False),
        ("y = 'say \"d\"'", None),
        ("y = 1", None),
        ('y = """d"""', None),
    ],
)
def test_strings_have_the_quotes_that_most_of_the_file_have(inserted: str, *, kept: bool | None) -> None:
    """Strings that hold the other kind, and long ones, are left aside."""
    assert kept == format_of('x = ["a", "b", "c"]\n', inserted, "\n", "").quotes


def test_a_file_without_a_habit_has_none_to_break() -> None:
    """Two of each kind, or too few."""
    assert format_of("x = ['a', 'b', \"c\", \"d\"]\n", "y = 'd'", "\n", "").quotes is None
    assert format_of('x = "a"\n', "y = 'd'", "\n", "").quotes is None


@pytest.mark.parametrize(
    ("inserted", "removed", "kept"),
    [("g(a)", "h(b)", True), ("g(a", "h(b)", False), ("a)", "b)", True), ("a", "b)", False), ("[a", "(b", False)],
)
def test_as_many_brackets_are_opened_and_closed_as_in_the_file(inserted: str, removed: str, *, kept: bool) -> None:
    """Counted by kind, without those in strings."""
    assert kept == format_of("x = ", inserted, "\n", removed).brackets


def test_a_format_is_kept_where_nothing_is_broken() -> None:
    """What cannot be said is not held against it."""
    assert format_of("x = ", "1", "\n", "2").is_kept
    assert not format_of("x = ", "(1", "\n", "2").is_kept

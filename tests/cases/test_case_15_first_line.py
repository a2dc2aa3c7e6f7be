"""Case 15: the first suggested line stands where the cursor is."""

from __future__ import annotations

import pytest

from tests.support.fitting import final

PLACES = ["def f():\n    if x:\n        |", "        |", "class A:\n    def f(self):\n        |\n"]


@pytest.mark.parametrize("n_blanks", [0, 3, 8])
@pytest.mark.parametrize("marked", PLACES)
def test_no_blanks_are_added_to_typed_ones(marked: str, n_blanks: int) -> None:
    """With 8 typed blanks the line has 8, however many the model wrote."""
    assert marked.replace("|", "return x") == final(marked, " " * n_blanks + "return x")


@pytest.mark.parametrize(
    "raw",
    [
        "if a:\n            return x",
        "        if a:\n            return x",
        "   if a:\n       return x",
        "if a:\n    return x",
        "\n        if a:\n            return x",
    ],
)
@pytest.mark.parametrize("marked", PLACES)
def test_later_lines_keep_their_distance(marked: str, raw: str) -> None:
    """A body is one level deeper than its head, whether the answer went on, began anew or stood alone."""
    assert marked.replace("|", "if a:\n            return x") == final(marked, raw)


@pytest.mark.parametrize(
    "raw", ["a = 1\n        b = 2", "        a = 1\n        b = 2", "   a = 1\n   b = 2", "a = 1\nb = 2"]
)
@pytest.mark.parametrize("marked", PLACES)
def test_plain_lines_stay_beside_each_other(marked: str, raw: str) -> None:
    """Two statements of one block stand at one depth."""
    assert marked.replace("|", "a = 1\n        b = 2") == final(marked, raw)


@pytest.mark.parametrize("raw", ["show(a)", "  show(a)", "    show(a)", "  show(a)\nend", "show(a)\nend"])
@pytest.mark.parametrize("below", ["\nend\n", "\n\nend\n"])
def test_typed_blanks_are_the_unit_of_a_file_without_one(raw: str, below: str) -> None:
    """The body of its first block stands where the cursor is, and its end where the head is."""
    marked = f"if a then\n  |{below}"
    assert marked.replace("|", "show(a)") == final(marked, raw, "lua")


def test_a_dedent_stays_a_dedent() -> None:
    """After the end of a block a line may go back to a depth that is open."""
    marked = "class A:\n    def f(self):\n        |"
    assert marked.replace("|", "return 1\n\n    def g(self):") == final(marked, "return 1\n\n    def g(self):")

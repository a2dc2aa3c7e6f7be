"""Lines that an answer writes once more."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("def f():\n    total = add(1)\n    |", "total = add(1)", None),
        ("def f():\n    total = add(1)\n    |", "total = add(1)\n    return total", None),
        ("def f():\n    total = add(1)\n    total = |", "add(1)", None),
        ("def f():\n    total = add(1)|", "\n    total = add(1)\n    return total", None),
        ("def f():\n    total = add(1)\n\n    |", "total = add(1)", None),
        ("|", "first = 1\nsecond = 2\nsecond = 2\nthird = 3", "first = 1\nsecond = 2"),
        ("|", "first = 1\nsecond = 2\nfirst = 1\nsecond = 2\nfirst = 1\n", "first = 1\nsecond = 2"),
        # Short ones may stand twice, and so may the same words at another depth.
        ("pop()\n|", "pop()", "pop()"),
        ("pop()\npop()\n|", "pop()", None),
        ("if a:\n    total = add(1)\n|", "total = add(1)", "total = add(1)"),
        ("]\n|", "]\n", None),
    ],
)
def test_no_line_stands_beside_its_equal(marked: str, raw: str, expected: str | None) -> None:
    """Neither beside one of the document nor beside one of its own."""
    assert expected == fit_at(marked, raw).text


def test_rules_and_closers_may_repeat() -> None:
    """What says nothing is no repetition."""
    assert "f(\n    [\n        1,\n    ],\n)" == final("|", "f(\n    [\n        1,\n    ],\n)")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("check(files[|]);\ncheck(files[1]);\n", "1", None),
        ("check(files[0]);\ncheck(files[|]);\n", "0", None),
        ("check(files[|]);\ncheck(files[1]);\n", "0", "0"),
        # Too short to be meant once.
        ("f(|)\nf(1)\n", "1", "1"),
    ],
)
def test_a_line_is_not_made_the_same_as_its_neighbour(marked: str, raw: str, expected: str | None) -> None:
    """With what stands behind the cursor it would stand there twice."""
    assert expected == fit_at(marked, raw, "javascript").text

"""What a name is called with stands behind the cursor already: it is not called a second time."""

from __future__ import annotations

import pytest

from tests.support.fitting import final


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("return sum|(item.price for item in items)\n", "(items)", "return sum(item.price for item in items)\n"),
        ("return sum|(item.price for item in items)\n", "(items) + 1", "return sum(item.price for item in items)\n"),
        ("return su|(item.price for item in items)\n", "m(items)", "return sum(item.price for item in items)\n"),
        ("return |(first, last)\n", "Span(a, b)", "return Span(first, last)\n"),
        ("def to|(items):\n    pass\n", "tal(items, tax)", "def total(items):\n    pass\n"),
        ("return sum|(\n", "(items)", "return sum(\n"),
    ],
)
def test_a_name_is_called_once(marked: str, raw: str, expected: str) -> None:
    """Of the answer no more is kept than the rest of the name."""
    assert expected == final(marked, raw, "python")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("return handlers|(event)\n", ".get(name)", "return handlers.get(name)(event)\n"),
        ("return make()|(event)\n", "(name)", "return make()(name)(event)\n"),
        ("return table|[row]\n", "[0]", "return table[0][row]\n"),
    ],
)
def test_what_gives_a_function_may_be_called(marked: str, raw: str, expected: str) -> None:
    """Only a bare name is what the brackets behind the cursor were written for."""
    assert expected == final(marked, raw, "python")

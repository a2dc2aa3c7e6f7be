"""What a prompt left to the model to write, taken off its answer."""

from __future__ import annotations

import pytest

from codeassistd.completion.echo import without_left_out
from codeassistd.completion.place import Place


@pytest.mark.parametrize(
    ("head", "left_out", "text", "expected"),
    [
        ("x = ", " ", " 5", "5"),
        ("x = ", " ", "5", "5"),
        ("x = ", " ", "= 5", ""),
        ("", "\n", "\n    return x", "    return x"),
        ("", "\n", "  \n    return x", "    return x"),
        ("", "\n\n", "\n    return x", "    return x"),
        ("", "\n", "\n\n\ndef f():", "\n\ndef f():"),
        ("", "\n", " + 1\n    return x", ""),
        ("", "\n", "", ""),
        ("", "", "def f():", "def f():"),
    ],
)
def test_what_was_left_out(head: str, left_out: str, text: str, expected: str) -> None:
    """A blank may be missing if nothing runs on; without a line break the text belongs to the line above."""
    assert expected == without_left_out(text, Place.of(f"above\n{head}", "", None, knows_start=True), left_out)

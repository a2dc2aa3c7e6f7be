"""A suggestion closes what it opens, or it is cut to where it does."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at


@pytest.mark.parametrize(
    "raw",
    ["return (", "f(a, [1,", '"half', "f'{a", '"""', "'''Doc", "#", "#:", '["a", "a'],
)
def test_what_stays_open_is_not_shown(raw: str) -> None:
    """An open bracket or string would break everything below it."""
    assert None is fit_at("x = 1\n|\ny = 2\n", raw).text


@pytest.mark.parametrize(
    ("marked", "raw", "language", "expected"),
    [
        ("f(|", "a, b", "python", "f(a, b"),
        ("f(|", "g(a), [b", "python", "f("),
        ("|", "a = 1\nb = f(", "python", "a = 1"),
        ("|", "x = [\n    1,\n]\ny = (", "python", "x = [\n    1,\n]"),
        # The head of a block may stand alone where the document is written from above, or closes it below.
        ("function f(x) {\n    |\n", "if (x) {", "javascript", "function f(x) {\n    if (x) {\n"),
        ("function f(x) {\n  if (|\n  }\n}\n", "x) {", "javascript", "function f(x) {\n  if (x) {\n  }\n}\n"),
        ("function f(x) {\n|\n}\n", "if (x) {", "javascript", "function f(x) {\n\n}\n"),
        ("function f(x) {\n    |\n}\n", "if (x) {\n    }", "javascript", "function f(x) {\n    if (x) {\n    }\n}\n"),
        # A value is nothing before it is closed.
        ("function f(x) {\n|\n", "let y = {", "javascript", "function f(x) {\n\n"),
        ("function f(x) {\n|\n", "g({", "javascript", "function f(x) {\n\n"),
        ('"""|', "Sell it.", "python", '"""Sell it.'),
        ('x = "|', "open", "python", 'x = "open'),
        ("|", "# why\nx = 1", "python", "# why\nx = 1"),
        ("a.filter((x) => |);", "{", "javascript", "a.filter((x) => );"),
    ],
)
def test_it_is_cut_to_the_lines_that_close_what_they_open(marked: str, raw: str, language: str, expected: str) -> None:
    """What was open before may stay open, and so may a block that the document closes, as it closes nothing yet."""
    assert expected == final(marked, raw, language)

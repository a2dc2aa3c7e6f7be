"""Places of snippets: nobody fills them in, so their own text stands there, and an answer ends before one without."""

from __future__ import annotations

import pytest

from tests.support.fitting import fit_at


@pytest.mark.parametrize(
    ("marked", "raw", "language", "expected"),
    [
        ("|", "x = 1$0", "python", "x = 1"),
        ("|", "for ${1:item} in ${2:items}:", "python", "for item in items:"),
        ("return |", "${1:a} + $2", "javascript", "a +"),
        ("f(|)", "a, $1", "go", "a,"),
        ("|", "total = add(1)\n$0", "javascript", "total = add(1)"),
        ("f(|)", "${1|one,two|}", "typescript", None),
        # Where it is code, or what a pattern puts in.
        ("echo |", '"$1" ${2:-x}', "shellscript", '"$1" ${2:-x}'),
        ("x = |", "$1", "ruby", "$1"),
        ("s.replace(/a/, |)", '"$1"', "javascript", '"$1"'),
        ("a = $1;\n|", "b = $1", "javascript", "b = $1"),
        ("price = |", "usd$5", "python", "usd$5"),
    ],
)
def test_no_place_is_shown(marked: str, raw: str, language: str, expected: str | None) -> None:
    """Outside of strings, where the language has no names like that and the document uses none."""
    assert expected == fit_at(marked, raw, language).text

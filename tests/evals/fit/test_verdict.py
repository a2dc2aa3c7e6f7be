"""Whether a document is as good after accepting."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.evals.fit.spots import Kind, Spot
from codeassistd.evals.fit.verdict import Verdict, judge
from codeassistd.syntax.languages import Languages

LANGUAGES = Languages.default()


def verdict(marked: str, inserted: str, language: str = "python", removed: str = "") -> Verdict:
    before, after = marked.split("|")
    return judge(Spot(Path("/w/a"), language, Kind.MIDDLE, 1, before, after, removed), inserted, LANGUAGES)


@pytest.mark.parametrize(
    ("marked", "inserted", "language", "parses"),
    [
        ("x = |\n", "1", "python", True),
        ("x = 1\n|\n", "y = = 2", "python", False),
        ("int f() {\n  |\n}\n", "return 1;", "c", True),
        ("int f() {\n  |\n}\n", "return 1;\n}", "c", False),
        ("some words |", "and ( more", "plaintext", True),
        # Written from above and not closed yet, a document may have one more block to close; a whole one may not.
        ("function f(a) {\n  |\n", "if (a) {", "javascript", True),
        ("function f(a) {\n  |\n}\n", "if (a) {", "javascript", False),
    ],
)
def test_more_faults_than_before_are_worse(marked: str, inserted: str, language: str, *, parses: bool) -> None:
    """What was broken before may stay so; what has no grammar cannot be judged."""
    assert parses == verdict(marked, inserted, language).parses_as_well


@pytest.mark.parametrize(
    ("marked", "inserted", "compiles"),
    [
        ("x = 1\n|\n", "y = 2", True),
        ("x = 1\n|\n", "1 = y", False),
        ("x = |\n", "1", None),
        # A block may be empty yet.
        ("def f(a):\n    |\n    return a\n", "if a:", True),
        ("def f(a):\n    |\n    return a\n", "try:", True),
        ("def f(a):\n    |\n    return a\n", "if = a:", False),
        ("def f(a):\n    |\n    return a\n", "b = 1\n        c = 2", False),
    ],
)
def test_python_is_asked_too(marked: str, inserted: str, *, compiles: bool | None) -> None:
    """Its own parser knows more than the grammar, but nothing of a text that is not whole yet."""
    assert compiles is verdict(marked, inserted).compiles_as_well


@pytest.mark.parametrize(
    ("marked", "inserted", "removed", "doubled"),
    [
        ("total = add(1)\n|\n", "total = add(1)", "", "line"),
        ("|\ntotal = add(1)\n", "total = add(1)", "", "line"),
        ("|\n", "total = add(1)\ntotal = add(1)", "", "line"),
        ("total = add(1)\ntotal = |\n", "add(1)", "", "line"),
        # As the file has it.
        ("total = add(1)\n|\n", "total = add(1)", "total = add(1)", ""),
        ("total = add(1)\ntotal = add(1)\n|\n", "show(total)", "", ""),
        ("pop()\n|\n", "pop()", "", ""),
        ("x = f(|)\n", "a)", "b", "closer"),
        ("x = f(|)\n", "g(a)", "b", ""),
        ("x = f(|)\n", "')'", "b", ""),
        ("x = f(g(|)\n", "a)", "a)", ""),
        ("f(|, b)\n", "a,", "a", "separator"),
        ("f(|, b)\n", "a", "a", ""),
    ],
)
def test_what_stands_there_twice_is_told(marked: str, inserted: str, removed: str, doubled: str) -> None:
    """Lines beside their equals, closers that close nothing, separators."""
    assert doubled == verdict(marked, inserted, removed=removed).doubled

"""Case 7: the editor has already typed the closing bracket."""

from __future__ import annotations

import pytest

from tests.support.fitting import final


@pytest.mark.parametrize("raw", ["dx, dy)", "dx, dy", "dx, dy) ", "dx, dy);"])
def test_a_closing_bracket_that_is_there_is_not_doubled(raw: str) -> None:
    """Whether the model closes the call or not, the document has exactly one bracket."""
    assert "area = hypot(dx, dy)" == final("area = hypot(|)", raw)


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("x = [|]", "1, 2]", "x = [1, 2]"),
        ('x = {"a": |}', "1}", 'x = {"a": 1}'),
        ('name = "|"', 'ada"', 'name = "ada"'),
        ('print("|")', 'hello")', 'print("hello")'),
        ("print('|')", "hello'", "print('hello')"),
        ("f(g(|))", "x))", "f(g(x))"),
        ("f(g(|))", "x)", "f(g(x))"),
        # The document lacks one bracket, and the model gives it.
        ("f(g(|)", "x)", "f(g(x))"),
        ("f(g(|", "x))", "f(g(x))"),
        ("x = f(|)[0]", "a)", "x = f(a)[0]"),
        # In comments and strings brackets come in pairs, too.
        ("# see f(|)", "x)", "# see f(x)"),
        ('print("f(|)")', "x)", 'print("f(x)")'),
        ("# [f(|)]", "x)]", "# [f(x)]"),
        ('x = "|)"', "(a", 'x = "(a)"'),
        # One that the string has opened is not the call's.
        ('print("no :(|)', ' ")', 'print("no :( ")'),
    ],
)
def test_every_kind_of_closer_is_kept_single(marked: str, raw: str, expected: str) -> None:
    """Brackets, quotes and both together; what the document really lacks is kept."""
    assert expected == final(marked, raw)


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("foo(|);", "bar);", "foo(bar);"),
        ("let v: Vec<|> = x;", "u8>", "let v: Vec<u8> = x;"),
        ("a(|, b);", "x,", "a(x, b);"),
        ("const s = `|`;", "a ${b}`", "const s = `a ${b}`;"),
    ],
)
def test_separators_behind_the_cursor_are_kept_single(marked: str, raw: str, expected: str) -> None:
    """Semicolons, commas and angle brackets are closers of their kind."""
    assert expected == final(marked, raw, "typescript")

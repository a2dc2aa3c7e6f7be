"""Brackets and quotes, scanned with what the language's table says of strings and comments."""

from __future__ import annotations

import pytest

from codeassistd.completion.balance import scan
from codeassistd.syntax.languages import Languages


@pytest.mark.parametrize(
    ("text", "language", "openers"),
    [
        ("f(a, [b", "python", "(["),
        ('f("(" # [', "python", "("),
        ('f("""(\n[""" + {', "python", "({"),
        ("f('(', /* [ */ { // (", "javascript", "({"),
        ("f(`(\n[` + {", "javascript", "({"),
        ("f(`[\\`, {", "go", "("),
        ("f('(', '\"', { // (", "rust", "({"),
        ("fn f<'a>(x: &'a [", "rust", "(["),
        ("f('(', {", "java", "({"),
        ("f(--[[ ( ]] { -- (", "lua", "({"),
        ("f([[ ( ]], {", "lua", "({"),
        ("f('(' # [", "ruby", "("),
        ('f "(\n[" { # (', "shellscript", "{"),
        ("f('(', /* ( */ { // (", "php", "({"),
        ('f("(", { // (', "csharp", "({"),
        ('f("""(\n""", {', "kotlin", "({"),
        ('f("""(\n""", {', "swift", "({"),
    ],
)
def test_what_hides_brackets_is_stepped_over(text: str, language: str, openers: str) -> None:
    """Comments and strings of each language, on one line or several."""
    assert openers == scan(text, Languages.default().by_id(language)).openers


@pytest.mark.parametrize(
    ("before", "language", "inside", "after"),
    [
        ('"""(', "python", '"""', '[""" + {'),
        ("/* (", "c", "/*", "[ */ {"),
        ("`(", "typescript", "`", "[` + {"),
        ("--[[ (", "lua", "--[[", "[ ]] {"),
        ("=begin\n(", "ruby", "=begin", "[\n=end\n{"),
    ],
)
def test_it_goes_on_from_inside(before: str, language: str, inside: str, after: str) -> None:
    """A piece that begins within a string or comment of several lines is read so."""
    known = Languages.default().by_id(language)
    assert inside == scan(before, known).inside
    assert "{" == scan(after, known, inside=inside).openers

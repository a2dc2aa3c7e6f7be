"""Names near a place, and what it lies in."""

from __future__ import annotations

import pytest

from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.scope import enclosing, identifiers, names_near
from codeassistd.testing.marked_text import marked, marked_all
from codeassistd.text import Span, Text

LANGUAGES = Languages.default()


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("python", "return größe(self.area, 'a name', b) # not here\nx1 = area", ["größe", "area", "x1"]),
        ("python", "s = 'it\\'s' + rest", ["rest"]),
        ("rust", "fn take<'a>(name: &'a Shape) -> Vec<u8> {", ["take", "name", "Shape", "Vec"]),
        ("javascript", "const $el = this.#size; // no\nawait load(`x`)", ["$el", "size", "load"]),
        ("c", 'puts("hello world"); 0xffUL + count', ["puts", "count"]),
        ("go", "s := `raw text` + name", ["name"]),
        ("python", "an 'unterminated string", ["an", "unterminated", "string"]),
        ("python", "", []),
    ],
)
def test_identifiers_without_keywords_strings_and_comments(language: str, text: str, names: list[str]) -> None:
    """The names of a piece of source stand in order of their first place, each once."""
    assert names == identifiers(text, LANGUAGES.by_id(language))


def test_identifiers_of_an_unknown_language() -> None:
    """Without a language every word is a name."""
    assert ["if", "name", "then"] == identifiers("if name then 1")


def test_near_names_come_first() -> None:
    """Names are ordered by their distance to the place, and the one that is being typed is left out."""
    content, (start, offset, end) = marked_all("far = 0\n|éfirst = second\nthi|rd = near\nlast|, more\n")
    text = Text.of(content)

    assert ["second", "near", "last", "éfirst"] == names_near(text, Span(start, end), offset, LANGUAGES.by_id("python"))


def test_a_name_that_stands_twice_counts_by_its_nearest_place() -> None:
    """A name far away and close by counts as close by."""
    content, offset = marked("alpha + beta + gamma + alpha |")
    text = Text.of(content)

    assert ["alpha", "gamma", "beta"] == names_near(text, Span(0, len(text)), offset, LANGUAGES.by_id("python"))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import os\n|\nclass A:\n    def f(self): pass\n", None),
        ("class A:\n    x = 1|\n    def f(self): pass\n", "A.x"),
        ("class A:\n    y(2)|\n    def f(self): pass\n", "A"),
        ("class A:\n    def f(self):\n        re|turn 1\n", "A.f"),
        ("class A:\n    def f(self):\n        return 1|\n", "A.f"),
        ("class A:\n    def f(self):\n        return 1\n\n\nz(3)|\n", None),
    ],
)
def test_the_innermost_definition_round_a_place(source: str, name: str | None) -> None:
    """A place lies in the innermost definition that holds it, up to the definition's end."""
    content, offset = marked(source)
    symbol = enclosing(extract("python", content.encode()), offset)

    assert name == (symbol and symbol.qualified_name)

"""What a cursor stands in, by the tree."""

from __future__ import annotations

import pytest

from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import ParsedDocument, parse
from codeassistd.syntax.site import Site, site_at
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text


@pytest.mark.parametrize(
    ("source", "language", "expected"),
    [
        ("x = |1\n", "python", Site.CODE),
        ("x = 1  # why |\n", "python", Site.COMMENT),
        ("x = 1  # w|hy\n", "python", Site.COMMENT),
        ("# why\n|\n", "python", Site.CODE),
        ("x = 'a |b'\n", "python", Site.STRING),
        ("x = ''|\n", "python", Site.CODE),
        ("x = f'a {b|c}'\n", "python", Site.CODE),
        ('def f():\n    """Do |it."""\n', "python", Site.PROSE),
        ('def f():\n    """Do it.\n\n    |\n    """\n', "python", Site.PROSE),
        ("const x = `a |b`;\n", "javascript", Site.PROSE),
        ("const x = `a ${b|c}`;\n", "javascript", Site.CODE),
        ("f(); // why |\n", "javascript", Site.COMMENT),
        ("/* why | */ f();\n", "javascript", Site.PROSE),
        ("/* why */| f();\n", "javascript", Site.CODE),
        ('f("a |b");\n', "java", Site.STRING),
        ('f("a |b");\n', "c", Site.STRING),
        ("f(); /* a\n * |\n */\n", "c", Site.PROSE),
        ("package p\n\nvar x = `a\n|`\n", "go", Site.PROSE),
        ('let x = "a |b";\n', "rust", Site.STRING),
        ("x = 'a |b' # c\n", "ruby", Site.STRING),
        ("-- why |\n", "lua", Site.COMMENT),
        ('echo "a |b"\n', "shellscript", Site.STRING),
        ('echo "a ${b|c}"\n', "shellscript", Site.CODE),
    ],
)
def test_comments_and_strings_are_told_from_code(source: str, language: str, expected: Site) -> None:
    """In each language by the names of its own nodes; code within a string is code."""
    content, offset = marked(source, "|")
    known = Languages.default().by_id(language)
    assert known is not None
    grammar = Languages.default().grammar(known)
    assert grammar is not None
    text = Text.of(content)
    assert expected == site_at(ParsedDocument(grammar, text, parse(grammar, text)), offset, known)

"""Where a running answer is stopped."""

from __future__ import annotations

import pytest

from codeassistd.completion.place import Place
from codeassistd.completion.stops import Extent, Shape, stop_at
from codeassistd.syntax.languages import Languages


def kept(marked: str, raw: str, extent: Extent, max_lines: int = 12, language: str = "python") -> str | None:
    """What of `raw` is kept; None to go on."""
    prefix, suffix = marked.split("|")
    place = Place.of(prefix, suffix, Languages.default().by_id(language), knows_start=True)
    length = stop_at(raw, place, Shape(extent, max_lines, ""))
    return None if length is None else raw[:length]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a + b", None),
        ("a + b\n", "a + b"),
        ("a + b\nc", "a + b"),
        ("", None),
        ("\n", None),
        ("\n    x", None),
        ("\n    x\n", "\n    x"),
        ("\n\n\n\n\n", ""),
    ],
)
def test_one_line_ends_with_the_line(raw: str, expected: str | None) -> None:
    """Breaks before the first word do not count, unless there is nothing but breaks."""
    assert expected == kept("x = |", raw, Extent.LINE)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\n    return 1", None),
        ("\n    return 1\n", None),
        ("\n    return 1\n\n", None),
        ("\n    return 1\n\n    # more", None),
        ("\n    return 1\nd", "\n    return 1\n"[:-1]),
        ("\n    return 1\n\n\nd", "\n    return 1"),
        ("\n    a\n    b\n    c\n    d", "\n    a\n    b\n    c"),
    ],
)
def test_a_block_ends_at_a_dedent_two_blank_lines_or_its_limit(raw: str, expected: str | None) -> None:
    """One blank line is part of a body."""
    found = kept("def f():|", raw, Extent.BLOCK, 3)

    assert expected == (found if found is None else found.rstrip("\n"))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("show(x);\n  ", None),
        ("show(x);\n}", None),
        ("show(x);\n}\n", "show(x);\n}"),
        ("show(x);\nfoo", "show(x);"),
    ],
)
def test_a_closing_line_is_the_last_of_its_block(raw: str, expected: str | None) -> None:
    """The closer may be missing in the document, so it is kept, and the pipeline decides."""
    assert expected == kept("if (x) {\n  |\n", raw, Extent.BLOCK, language="javascript")


@pytest.mark.parametrize(
    ("marked", "language", "raw", "expected"),
    [
        ("def f\n  |", "ruby", "show(x)\nend", None),
        ("def f\n  |", "ruby", "show(x)\ne", None),
        ("def f\n  |", "ruby", "show(x)\nend\n", "show(x)\nend"),
        ("def f\n  |", "ruby", "show(x)\nelse", "show(x)"),
        ("def f\n  |", "ruby", "show(x)\nendless", "show(x)"),
        ("if x then\n  |", "lua", "show(x)\nend\n", "show(x)\nend"),
        ("repeat\n  |", "lua", "show(x)\nuntil", None),
        ("for x in *; do\n  |", "shellscript", "show\ndone\n", "show\ndone"),
        ("if x; then\n  |", "shellscript", "show\nfi\n", "show\nfi"),
        ("if x; then\n  |", "shellscript", "show\nelse\n", "show"),
        ("if x:\n    |", "python", "show()\ne", "show()"),
    ],
)
def test_a_word_may_close_a_block(marked: str, language: str, raw: str, expected: str | None) -> None:
    """As a bracket does elsewhere; a word that begins the next branch is another suggestion."""
    found = kept(marked, raw, Extent.BLOCK, language=language)

    assert expected == (found if found is None else found.rstrip("\n"))


def test_a_loop_ends_the_answer() -> None:
    """The third equal line in a row is one too many."""
    assert "\n    a()\n    a()" == kept("def f():|", "\n    a()\n    a()\n    a()\n    ", Extent.BLOCK)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a + b\n", "a + b"),
        ("f(\n", None),
        ("f(\n    a,\n)", None),
        ("f(\n    a,\n)\n", "f(\n    a,\n)"),
        ("[\n    1,\n    2,\n", "[\n    1,\n    2,"),
        ("a)\nb", "a)"),
    ],
)
def test_a_statement_goes_on_until_its_brackets_are_closed(raw: str, expected: str | None) -> None:
    """Only brackets that the answer opened count, and only up to the limit."""
    assert expected == kept("x = |", raw, Extent.STATEMENT, 3)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("the sum.", None),
        ("the sum\nof (all", None),
        ("the sum.\n\n", "the sum."),
        ("the sum\nof all.\n\n    Args:", "the sum\nof all."),
        ('the sum."""\n', 'the sum."""'),
        ('the sum.\n"""\nreturn', 'the sum.\n"""'),
        ("a\nb\nc\nd\n", "a\nb\nc"),
    ],
)
def test_a_paragraph_ends_at_a_blank_line_or_with_its_string(raw: str, expected: str | None) -> None:
    """Brackets and indentation mean nothing in it."""
    assert expected == kept('def f():\n    """Give |', raw, Extent.PARAGRAPH, 3)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("```python", None),
        ("```python\n", None),
        ("```python\nreturn 1", None),
        ("```python\nreturn 1\n```\n", "```python\nreturn 1"),
        ("~~~\nreturn 1\n~~~\n", "~~~\nreturn 1"),
    ],
)
def test_the_line_that_opens_a_fence_is_not_the_answer(raw: str, expected: str | None) -> None:
    """What is wanted stands below it."""
    assert expected == kept("x = |", raw, Extent.LINE)


def test_the_head_of_a_block_is_whole_before_closers() -> None:
    """Behind the cursor they close what stands round the block, so that its head alone would break the line."""
    raw = "{\n    return x;\n  });\n}"
    assert raw.removesuffix("\n}") == kept("  a.filter((x) => |);", raw, Extent.STATEMENT, language="javascript")
    assert "{" == kept("{\n  const f = (x) => |", raw, Extent.STATEMENT, language="javascript")


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        # Written from above: the head is a suggestion of its own.
        ("function f(a) {\n  |\n", "if (a) {\n    g();", "if (a) {"),
        # Closed below: the block comes whole.
        ("function f(a) {\n  |\n}\n", "if (a) {\n    g();", None),
        ("function f(a) {\n  |\n}\n", "if (a) {\n    g();\n  }", None),
        ("function f(a) {\n  |\n}\n", "if (a) {\n    g();\n  }\n  h();", "if (a) {\n    g();\n  }"),
        # Its closer stands there already.
        ("function f(a) {\n  if (|\n    g();\n  }\n}\n", "a) {\n    h();", "a) {"),
        # A value always comes whole.
        ("function f(a) {\n  |\n", "let b = {\n    c: 1,", None),
        ("function f(a) {\n  |\n", "let b = {\n    c: 1,\n  };\n", "let b = {\n    c: 1,\n  };"),
        ("function f(a) {\n  |\n", "return {\n    c: 1,", None),
        ("function f(a) {\n  |\n", "items.map((x) => {\n    c(x);", None),
    ],
)
def test_a_brace_is_left_open_only_where_the_document_has_room_for_it(
    marked: str, raw: str, expected: str | None
) -> None:
    """The head of a block alone would take the closing brace of what stands round it."""
    assert expected == kept(marked, raw, Extent.STATEMENT, language="javascript")


@pytest.mark.parametrize(
    ("marked", "raw", "language", "expected"),
    [
        (
            "class A:|",
            '\n    """An A."""\n\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        r',
            "python",
            '\n    """An A."""\n\n    x = 1\n\n    def f(self):\n        return 1',
        ),
        (
            "class A:\n    |",
            "@one\n    def f(self):\n        return 1\n\n    @two\n    def g(self):\n",
            "python",
            "@one\n    def f(self):\n        return 1",
        ),
        (
            "class A {|\n}\n",
            "\n  f() {\n    return 1;\n  }\n\n  g() {\n    r",
            "javascript",
            "\n  f() {\n    return 1;\n  }",
        ),
        (
            "impl A {|\n}\n",
            "\n    fn f() {\n        a();\n    }\n    // Two.\n    fn g() {\n",
            "rust",
            "\n    fn f() {\n        a();\n    }",
        ),
        ("class A:\n    |", "@one", "python", None),
        # A function's statements belong together, and so do a class's fields.
        ("for object in a:|", "\n    if b:\n        c()\n    if d:\n        e()\n", "python", None),
        ("def f(a):|", "\n    if a:\n        b()\n    if c:\n        d()\n    e", "python", None),
        ("class A {|\n}\n", "\n  int a;\n  int b;\n  int c;\n  int", "java", None),
        ("class A {|\n}\n", "\n  int a;\n  int f() {\n    if (a) {\n    }\n    while (a) {\n    }\n", "java", None),
    ],
)
def test_a_class_is_written_member_by_member(marked: str, raw: str, language: str, expected: str | None) -> None:
    """It stops at the second method, whatever stands before the first."""
    assert expected == kept(marked, raw, Extent.BLOCK, 20, language)

"""A suggestion that would break the parse is cut back to where it does not, or dropped."""

from __future__ import annotations

import pytest

from codeassistd.completion.postprocess import Fit, FitInput, fit
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.soundness import Soundness
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text

LANGUAGES = Languages.default()


def fitted(source: str, raw: str, language: str, newline: str = "\n") -> Fit:
    """What is left of `raw` at the mark, judged by the parser too."""
    content, offset = marked(source.replace("\n", newline), "|")
    known = LANGUAGES.by_id(language)
    assert known is not None
    judge = Soundness.at(LANGUAGES.grammar(known), Text.of(content), offset)
    prefix, suffix = source.split("|")
    return fit(FitInput(prefix, raw, suffix, known, newline=newline, judge=judge))


@pytest.mark.parametrize(
    ("source", "language", "raw", "expected"),
    [
        # Whole lines are cut first.
        ("def f(a):\n    |\n", "python", "b = a\n    return b c", "b = a"),
        ("def f(a):\n    |\n", "python", "b = a\n    if b\n    return b", "b = a"),
        ("func f() {\n\t|\n}\n", "go", "a := 1\n\tb := := 2", "a := 1"),
        ("int f() {\n  |\n}\n", "c", "a = 1;\n  b = = 2;", "a = 1;"),
        ("fn f() {\n    |\n}\n", "rust", "let a = 1;\n    let = 2;", "let a = 1;"),
        ("class A {\n  |\n}\n", "java", "int a;\n  int int b;", "int a;"),
        ("function f() {\n  |\n}\n", "javascript", "g();\n  const const = 1;", "g();"),
        ("function f() {\n  |\n}\n", "typescript", "g();\n  let let: = 1;", "g();"),
        # Then words of the first line.
        ("x = 1\n|\ny = 2\n", "python", "z = a b", "z = a"),
        ("x = |\ny = 2\n", "python", "a b", "a"),
        ("x = 1\n|\ny = 2\n", "python", "import os sys", "import os"),
        # Nothing is left where no start of it can be read.
        ("x = 1\n|\ny = 2\n", "python", "def def", None),
        # A single word of more is no statement.
        ("x = 1\n|\ny = 2\n", "python", "Sure! Here it is", None),
        ("int f() {\n  return |;\n}\n", "c", "= 1", None),
        # A cut may end with what stands behind the cursor, even in a comment, or make the line its neighbour's equal.
        ("/**\n * @param {|} a\n */\nf();\n", "javascript", "String}*/", "String"),
        ("total(first)\ntotal(|)\n", "python", "first b c", None),
        # The cut is judged with what the document would really get.
        ("items.each(item => {|})\n", "javascript", "\n  show(item)\n  a b\n})", "\n  show(item)\n"),
    ],
)
def test_it_is_cut_back_to_the_last_point_that_parses(
    source: str, language: str, raw: str, expected: str | None
) -> None:
    """Judged on the document as it would be, in each language with its own grammar."""
    found = fitted(source, raw, language)
    assert expected == found.text
    assert "parse" in found.filters


@pytest.mark.parametrize(
    ("source", "language", "raw"),
    [
        ("x = f(|\n", "python", "a, b"),
        ("x = f(|\ny = 1\n", "python", "a, b)"),
        ("def f(:\n    x = |\n", "python", "1"),
        ("if (x |\n", "c", "> 1) {"),
        ("class A {\n  void f() {\n    |\n", "java", "int a = 1;"),
        ("func f() {\n\tx := []int{|\n", "go", "1, 2}"),
        ("def f():\n    |", "python", "return 1"),
        # A bracket that closes nothing, and junk.
        ("x = |)\ny = 1\n", "python", "a + b"),
        ("x = |, 1 2\ny = 1\n", "python", "lambda: None"),
    ],
)
def test_what_is_broken_before_may_stay_so(source: str, language: str, raw: str) -> None:
    """What is being typed is not whole yet, and a suggestion need not make it so."""
    found = fitted(source, raw, language)
    assert raw == found.text
    assert "parse" not in found.filters


@pytest.mark.parametrize(
    ("source", "language", "raw", "expected"),
    [
        # The rest of the line closes what stands before the cursor: without it nothing can be judged.
        ("function f(a) {\n  if (|) {\n    g();\n  }\n}\n", "javascript", "a) {\n    // first\n", "a"),
        (
            "class A {\n  void f(boolean a) {\n    while (|) {\n      g();\n    }\n  }\n}\n",
            "java",
            "a) {\n      // b\n",
            "a",
        ),
        ("func f(a int) {\n\tif (|) {\n\t\tg()\n\t}\n}\n", "go", "a > 1) {\n\t\t// b\n", "a > 1"),
    ],
)
def test_brackets_round_a_hole_are_not_taken_for_faults(source: str, language: str, raw: str, expected: str) -> None:
    """The hole is at fault, and what stands behind it is wanted; only a bracket too many is judged without."""
    assert expected == fitted(source, raw, language).text


@pytest.mark.parametrize(
    ("source", "language", "raw", "expected"),
    [
        ("public class Main {\n    public static void main(|\n", "java", "String[] args) {", "String[] args) {"),
        ("function f(a) {\n  |\n", "javascript", "if (a) {", "if (a) {"),
        # Closed below: the block would have to be closed too.
        ("function f(a) {\n  |\n}\n", "javascript", "if (a) {", None),
        ("function f(a) {\n  |\n}\n", "javascript", "if (a) {\n    b();\n  }", "if (a) {\n    b();\n  }"),
    ],
)
def test_the_head_of_a_block_stands_in_a_document_that_is_not_closed_yet(
    source: str, language: str, raw: str, expected: str | None
) -> None:
    """Where the user writes from above, without closers, the brace of one more block is no fault."""
    assert expected == fitted(source, raw, language).text


@pytest.mark.parametrize(
    ("source", "raw", "expected"),
    [
        # A line below would be deeper than it may.
        ("def f():\n    a = 1|\n    return a\n", "\nb = 2", None),
        ("def f():\n    if a:\n        |\n        return a\n", "b = 2\n    c = 3", "b = 2"),
        # The block has a body already.
        ("def f():|\n    return 1\n", ' "says"', None),
        # The head of a block takes in what is deeper, and a block may be empty yet.
        ("def f(a):\n    if b:\n        c()\n    |\n        return a\n", "if a:", "if a:"),
        ("def f(a):\n    if b:\n        c()\n    |\n        return a\n", "b = a", None),
        ("def f(a):\n    |\n    return a\n", "if a:", "if a:"),
        ("def f(a):\n    |\n    return a\n", "b = [\n        1,\n    ]", "b = [\n        1,\n    ]"),
        ("def f(a):\n    |\nx = 1\n", "return a", "return a"),
        ("def f(a):\n    |\n    # deeper\n    return a\n", "b = a", "b = a"),
        # What stands wrong already is none of the suggestion's doing.
        ("def f(a):\n    b =|\n        return a\n", " a", " a"),
        # Within brackets every depth is legal.
        ("x = [\n    1,\n  |\n        3,\n]\n", "2,", "2,"),
    ],
)
def test_indentation_that_is_syntax_is_kept(source: str, raw: str, expected: str | None) -> None:
    """In Python a line that is deeper than its block allows is no program, though the grammar reads it."""
    assert expected == fitted(source, raw, "python").text


@pytest.mark.parametrize(
    ("source", "language", "raw", "expected"),
    [
        ("x = f(|)\n", "python", "a  # the first", "a"),
        ("f(|);\n", "javascript", "a, b // both", "a, b"),
        ("f(|, b)\n", "python", "# nothing", None),
        # Nothing stands behind it, or a comment does.
        ("x = |\n", "python", "1  # one", "1  # one"),
        ("x = |  # one\n", "python", "1  # or two", "1  # or two"),
        # No comment at all.
        ('echo "${|}"\n', "shellscript", "name#pre", "name#pre"),
        ('x = f("|")\n', "python", "a # b", "a # b"),
        # The cursor stands in one.
        ("x = 1  # see f(|)\n", "python", "a # b", "a # b"),
    ],
)
def test_a_comment_does_not_swallow_the_rest_of_the_line(
    source: str, language: str, raw: str, expected: str | None
) -> None:
    """What stands behind the cursor stays code."""
    assert expected == fitted(source, raw, language).text


def test_line_ends_of_the_document_are_judged() -> None:
    """The place is counted in the document's own bytes."""
    assert "b = 1" == fitted("a = 1\n|\nc = 2\n", "b = 1\nc c", "python", "\r\n").text


def test_without_a_grammar_nothing_is_cut() -> None:
    """Text of no known language is taken as it is."""
    assert "a b = = c" == fit(FitInput("x\n", "a b = = c", "\ny\n", None)).text

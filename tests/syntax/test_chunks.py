"""Files are cut into pieces at the size of a function."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.syntax.extract import extract
from codeassistd.syntax.facts import Chunk
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text
from tests.support.corpus import corpus_files

#: Eight lines: too long to be joined with a neighbour.
BODY = "".join(f"    use({n})\n" for n in range(7))
METHOD_BODY = "".join(f"        use({n})\n" for n in range(7))


def drawn(chunks: tuple[Chunk, ...]) -> list[tuple[str, str, int, int]]:
    """Kind, name and lines of each."""
    return [(chunk.kind, chunk.name, chunk.line, chunk.end_line) for chunk in chunks]


def chunks_of(source: str, language: str = "python") -> list[tuple[str, str, int, int]]:
    """What a source is cut into."""
    return drawn(extract(language, source.encode()).chunks)


def test_functions_and_what_stands_between_them() -> None:
    """A function with its comment and decorators is a piece; what stands between two functions is another."""
    source = f"import os\n\nX = 1\n\n\n# Why.\n@cached\ndef one():\n{BODY}\n\nY = 2\n\n\ndef two():\n{BODY}"

    assert [("code", "", 0, 3), ("function", "one", 5, 15), ("code", "", 17, 18), ("function", "two", 20, 28)] == (
        chunks_of(source)
    )


def test_a_class_is_its_head_and_its_methods() -> None:
    """The head with the fields is one piece, each method another, and a nested function stays in its own."""
    source = (
        f'class A(B):\n    """Doc."""\n\n    field = 1\n\n    def one(self):\n{METHOD_BODY}\n'
        f"    def two(self):\n        def inner():\n            pass\n{METHOD_BODY}"
    )

    assert [("class", "A", 0, 4), ("method", "A.one", 5, 13), ("method", "A.two", 14, 24)] == chunks_of(source)


def test_what_closes_a_class_is_no_piece() -> None:
    """Brackets alone on their lines belong to no piece, but to the function that they close."""
    body = "".join(f"    use({n});\n" for n in range(7))
    source = f"class A {{\n  int x;\n\n  void one() {{\n{body}  }}\n}}\n"

    assert [("class", "A", 0, 2), ("method", "A.one", 3, 12)] == chunks_of(source, "java")


def test_tiny_neighbours_are_joined() -> None:
    """Getters become one piece under the name of their class."""
    source = "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n"

    assert [("class", "A", 0, 6)] == chunks_of(source)


def test_a_long_function_is_cut_between_its_statements() -> None:
    """Into parts of like size, at lines where a statement of its body begins and no statement is open."""
    source = "def long():\n" + "    call(\n        1,\n        2,\n    )\n" * 20

    assert [("function", "long", 0, 41), ("part", "long", 41, 81)] == chunks_of(source)


def test_a_long_statement_is_cut_inside() -> None:
    """A loop that is longer than a piece may be is cut between the statements in it."""
    source = "def long():\n    for x in y:\n" + "        call(\n            x,\n        )\n" * 30

    assert [("function", "long", 0, 47), ("part", "long", 47, 92)] == chunks_of(source)


def test_a_table_without_borders_is_cut_all_the_same() -> None:
    """A string over many lines has no statements, and is cut by length alone."""
    source = 'X = """\n' + "word\n" * 150 + '"""\n'

    assert [("code", "", 0, 60), ("code", "", 60, 106), ("code", "", 106, 151)] == chunks_of(source)


def test_a_file_without_words_has_no_pieces() -> None:
    """Nothing is made of blank lines and brackets."""
    assert [] == chunks_of("\n\n()\n[\n]\n")


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.sampled_from(corpus_files()), st.integers(0, 5000), st.integers(0, 400), st.integers(1, 4))
def test_pieces_are_whole_lines_in_order_and_miss_no_word(
    corpus: tuple[str, Text], start: int, n_deleted: int, n_copies: int
) -> None:
    """Whatever a file holds, each line with a word is in exactly one piece, and no piece is too long."""
    name, original = corpus
    language = Languages.default().by_path(name)
    assert language is not None
    letters = str(original) * n_copies
    text = Text.of(letters[: start % len(letters)] + letters[start % len(letters) + n_deleted :])
    line = 0
    for chunk in extract(language.name, text.content).chunks:
        assert line <= chunk.line < chunk.end_line <= chunk.line + 60
        assert not any(any(map(str.isalnum, text.line(skipped))) for skipped in range(line, chunk.line))
        assert (text.line_start(chunk.line), text.line_end(chunk.end_line - 1)) == (chunk.span.start, chunk.span.end)
        line = chunk.end_line
    assert not any(any(map(str.isalnum, text.line(skipped))) for skipped in range(line, text.line_count))

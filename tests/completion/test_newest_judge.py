"""A place is judged by the newest tree, even one that comes after the request."""

from __future__ import annotations

from codeassistd.completion.newest_judge import NewestJudge
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import ParsedDocument, parse
from codeassistd.text import Text

LANGUAGES = Languages.default()
PHP = LANGUAGES.by_id("php")
assert PHP is not None
GRAMMAR = LANGUAGES.grammar(PHP)
#: One class, larger than what is parsed from nothing.
LONG = Text.of("<?php\nclass A {\n" + "    function f() {\n        return 1;\n    }\n" * 1000 + "}\n")
OFFSET = LONG.content.index(b"return", len(LONG) // 2)


class Trees:
    """The tree that there is."""

    def __init__(self) -> None:
        self.newest: ParsedDocument | None = None
        self.n_asked = 0

    def __call__(self) -> ParsedDocument | None:
        self.n_asked += 1
        return self.newest


def test_a_tree_that_comes_later_is_judged_by() -> None:
    """A piece out of a class is broken by the cut, so a stray bracket hides in it; the whole document tells."""
    trees = Trees()
    judges = NewestJudge(GRAMMAR, LONG, OFFSET, trees)
    piece = judges.now()
    assert piece is not None
    assert not piece.is_whole
    assert GRAMMAR is not None
    trees.newest = ParsedDocument(GRAMMAR, LONG, parse(GRAMMAR, LONG))

    whole = judges.now()

    assert whole is not None
    assert whole.is_whole
    assert 0 == whole.n_before()
    assert whole.faults("} ").n_all > 0


def test_a_whole_document_is_judged_once() -> None:
    """Nothing better than it can come, so nobody asks again."""
    trees = Trees()
    assert GRAMMAR is not None
    trees.newest = ParsedDocument(GRAMMAR, LONG, parse(GRAMMAR, LONG))
    judges = NewestJudge(GRAMMAR, LONG, OFFSET, trees)

    assert judges.now() is judges.now()
    assert 1 == trees.n_asked


def test_without_a_grammar_there_is_no_judge() -> None:
    """Nothing can be said about a text of no known language."""
    assert None is NewestJudge(None, LONG, OFFSET, Trees()).now()

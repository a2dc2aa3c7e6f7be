"""Facts of a document that is edited are those of a fresh reading, whatever was typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.syntax import edits
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.reading import Reading
from codeassistd.text import Span, Text
from tests.support.corpus import corpus_files

LANGUAGES = Languages.default()
CORPUS = corpus_files()
URI = "file:///a"
#: What people type and delete: letters, brackets, quotes that swallow what follows, comments, line ends, whole lines.
PIECES = [
    *(
        "",
        "x",
        "é",
        "😀",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "(",
        ")",
        "{",
        "}",
        "[",
        '"',
        "'",
        "`",
        ";",
        ":",
        ",",
        ".",
        "#",
    ),
    *(
        "/*",
        "*/",
        "//",
        "# why\n",
        "// why\n",
        "-- why\n",
        "f(a)",
        "class ",
        "def f():\n",
        "function f() {\n",
        "import a\n",
    ),
    *("    ", "const ", "end\n", '"""', "<?php ", "@x\n", "x = 1\n", "x: int = 1;\n", "return f(x);\n"),
]
EDITS = st.lists(
    st.tuples(st.integers(0, 100_000), st.sampled_from([0, 0, 0, 1, 1, 4, 40, 400]), st.sampled_from(PIECES)),
    min_size=1,
    max_size=8,
)


def whole(service: DocumentFacts, text: Text) -> FileFacts:
    """The facts of the very tree that the service has, read from nothing."""
    parsed = service.parsed(URI)
    language = next(each for each in LANGUAGES if LANGUAGES.grammar(each) is parsed.grammar)
    reading = Reading(language, text)
    reading.read(parsed.grammar.whole, parsed.tree)
    return reading.facts(parsed.tree)


def check(name: str, original: Text, changes: list[tuple[int, int, str]]) -> None:
    """Type the changes and compare after each."""
    language = LANGUAGES.by_path(name)
    assert language is not None
    text, service = original, DocumentFacts(LANGUAGES)
    service.facts(URI, language.name, text)
    for place, n_deleted, new in changes:
        letters = str(text)
        at = place % (len(letters) + 1)
        span = Span(len(letters[:at].encode()), len(letters[: at + n_deleted].encode()))
        text = text.replace(span, new)
        facts = service.facts(URI, language.name, text)
        assert whole(service, text) == facts
    # A tree that was parsed anew may mend broken code in another way; in sound code the two are the same.
    fresh = DocumentFacts(LANGUAGES)
    expected = fresh.facts(URI, language.name, text)
    if not fresh.parsed(URI).tree.root_node.has_error:
        assert expected == facts


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.sampled_from(CORPUS), EDITS)
def test_facts_after_any_edits_are_those_of_a_fresh_reading(
    corpus: tuple[str, Text], changes: list[tuple[int, int, str]]
) -> None:
    """In all languages; in files that are small enough to be read again by whole definitions."""
    check(*corpus, changes)


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(st.sampled_from(CORPUS), EDITS)
def test_facts_after_edits_inside_long_definitions_are_those_of_a_fresh_reading(
    corpus: tuple[str, Text], changes: list[tuple[int, int, str]]
) -> None:
    """In all languages; where hardly any definition is small enough to be read again whole."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits, "_WHOLE_BYTES", 120)
        check(*corpus, changes)

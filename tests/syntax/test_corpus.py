"""What is read from each language, next to the code it is read from (tests/syntax/corpus)."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.extract import extract
from codeassistd.syntax.facts import FileFacts, Symbol
from codeassistd.syntax.languages import Languages
from tests.support.corpus import CORPUS, read_corpus

FILES = sorted(path for path in CORPUS.iterdir() if Languages.default().by_path(path))


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def path(request: pytest.FixtureRequest) -> Path:
    return request.param


def _facts(path: Path, content: bytes) -> FileFacts:
    language = Languages.default().by_path(path)
    assert language is not None
    return extract(language.name, content)


def _drawn(symbol: Symbol) -> list[str]:
    """A symbol as a corpus may draw it, with and without signature and documentation."""
    short = f"{symbol.kind} {symbol.qualified_name}"
    signed = f"{short} | {symbol.signature}"
    return [f"{signed} | {symbol.doc or '-'}", signed, short]


def test_each_drawn_thing_is_read_at_its_place(path: Path) -> None:
    """Every definition, reference and import that is drawn in a corpus file is read, at the drawn place."""
    text, expectations = read_corpus(path.read_text("utf-8"))
    facts = _facts(path, text.content)
    symbols = {symbol.name_span.start: symbol for symbol in facts.symbols}
    references = {f"use {reference.name}": set() for reference in facts.references}
    for reference in facts.references:
        references[f"use {reference.name}"].add(reference.line)

    for expected in expectations:
        if expected.words.startswith("use "):
            assert expected.line in references.get(expected.words, ()), expected
        elif not expected.words.startswith("import "):
            assert expected.offset in symbols, expected
            assert expected.words in (_drawn(symbols[expected.offset]) or ()), _drawn(symbols[expected.offset])


def test_nothing_else_is_read(path: Path) -> None:
    """Every definition and import that is read from a corpus file is drawn in it."""
    text, expectations = read_corpus(path.read_text("utf-8"))
    facts = _facts(path, text.content)
    drawn = {expected.offset for expected in expectations if not expected.words.startswith(("use ", "import "))}

    assert [] == [symbol for symbol in facts.symbols if symbol.name_span.start not in drawn]
    assert sorted(
        (expected.line, expected.words) for expected in expectations if expected.words.startswith("import ")
    ) == [
        *sorted(
            (
                row.line,
                " ".join(filter(None, ("import", row.module, row.name, f"as {row.alias}" if row.alias else ""))),
            )
            for row in facts.imports
        )
    ]


def test_the_outline_is_the_one_beside_the_file(path: Path) -> None:
    """The outline of a corpus file is, letter by letter, the text in the `.outline` file beside it."""
    text, _ = read_corpus(path.read_text("utf-8"))
    languages = Languages.default()
    language = languages.by_path(path)
    assert language is not None
    facts = DocumentFacts(languages).facts(path.name, language.name, text)

    assert path.with_name(path.name + ".outline").read_text("utf-8").splitlines() == [
        entry.text for entry in facts.outline
    ]


def test_each_language_has_a_corpus() -> None:
    """A language that ships has a corpus file that shows what is read from it."""
    languages = Languages.default()

    assert {language.name for language in languages} == {
        language.name for language in map(languages.by_path, FILES) if language
    }

"""Facts of open documents: kept by version, bounded in number, robust to any text."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from codeassistd.syntax import document_facts
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.edits import reread
from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import ParseLimits
from codeassistd.text import Span, Text


def test_facts_follow_the_document() -> None:
    """Each version gives the facts that a fresh reading of it gives."""
    service = DocumentFacts(Languages.default())
    text = Text.of("def one(): pass\n")
    for span, new in [(Span(4, 7), "zwölf"), (Span(0, 0), "\n# é\n"), (Span(0, 3), ""), (Span(0, 0), "class A:\n  ")]:
        text = text.replace(span, new)

        facts = service.facts("file:///a.py", "python", text)
        assert extract("python", text.content) == replace(facts, outline=())


def test_the_same_version_is_read_once() -> None:
    """Asked again for an equal text, the service gives the very facts it gave before."""
    service = DocumentFacts(Languages.default())
    first = service.facts("file:///a.py", "python", Text.of("x = 1\n"))

    assert first is service.facts("file:///a.py", "python", Text.of("x = 1\n"))


def test_a_document_that_changes_its_language_is_read_anew() -> None:
    """A document that is opened again under another language is read as that."""
    service = DocumentFacts(Languages.default())
    text = Text.of("int f(void) { return 0; }\n")
    service.facts("untitled:1", "python", text)

    assert ["f"] == [symbol.name for symbol in service.facts("untitled:1", "c", text).symbols]


def test_the_number_of_trees_is_bounded() -> None:
    """Only the documents asked for last keep a tree, and a closed one keeps none."""
    service = DocumentFacts(Languages.default(), max_trees=2)
    texts = {uri: Text.of(f"{uri} = 1\n") for uri in "abc"}
    kept = {uri: service.facts(uri, "python", texts[uri]) for uri in "ab"}
    service.facts("a", "python", texts["a"])
    service.facts("c", "python", texts["c"])

    assert 2 == service.n_trees
    assert kept["a"] is service.facts("a", "python", texts["a"])
    assert kept["b"] is not service.facts("b", "python", texts["b"])
    service.forget("a")
    service.forget("never opened")
    assert 1 == service.n_trees


def test_huge_and_minified_texts_are_skipped_with_the_reason() -> None:
    """A text over the limits is not parsed, keeps no tree, and says why; shortened again it is read."""
    service = DocumentFacts(Languages.default(), ParseLimits(max_bytes=100, max_line_bytes=50))
    small, long_line, large = Text.of("x = 1\n"), Text.of("x" * 51), Text.of("y = 2\n" * 17)
    service.facts("a", "python", small)

    assert ("skipped: a line is longer than 50 bytes",) == service.facts("a", "python", long_line).problems
    assert ("skipped: larger than 100 bytes",) == service.facts("b", "python", large).problems
    assert 0 == service.n_trees
    assert ["x"] == [symbol.name for symbol in service.facts("a", "python", small).symbols]


def test_an_unknown_language_is_a_problem() -> None:
    """A document of no known language has empty facts that say so."""
    facts = DocumentFacts(Languages.default()).facts("a", "plaintext", Text.of("hello"))

    assert ("no grammar for the language 'plaintext'",) == facts.problems


def test_threads_take_turns() -> None:
    """Many threads asking for many documents at once get the facts of what they asked for."""
    service = DocumentFacts(Languages.default(), max_trees=3)

    def ask(number: int) -> list[str]:
        text = Text.of(f"def f{number}(): pass\n")
        return [symbol.name for symbol in service.facts(f"doc{number % 5}", "python", text).symbols]

    with ThreadPoolExecutor(8) as pool:
        assert [[f"f{number}"] for number in range(60)] == list(pool.map(ask, range(60)))


def test_a_tree_is_at_hand_while_the_next_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a tree beside the reading gets the one before, however large the document is."""
    service = DocumentFacts(Languages.default())
    seen: list[str] = []

    def noticing(*args: Any) -> Any:
        parsed = service.parsed("file:///a.py")
        seen.append("" if parsed is None else str(parsed.text))
        return reread(*args)

    monkeypatch.setattr(document_facts, "reread", noticing)
    service.facts("file:///a.py", "python", Text.of("x = 1\n"))
    service.facts("file:///a.py", "python", Text.of("x = 2\n"))
    service.forget("file:///a.py")

    assert ["x = 1\n"] == seen
    assert None is service.parsed("file:///a.py")

"""Case 44: byte offsets used on text."""

from __future__ import annotations

from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages
from codeassistd.text import Position, PositionEncoding, Text
from tests.support.corpus import corpus_files


def test_a_name_behind_a_comment_with_letters_of_many_bytes() -> None:
    """Behind `# größe → 3 µm` the name `save_draft` has its own line and column, and its snippet starts with it."""
    text = Text.of("# größe → 3 µm\ndef save_draft():\n    pass\n")
    (symbol,) = extract("python", text.content).symbols

    assert ("save_draft", 1) == (symbol.name, symbol.line)
    assert Position(1, 4) == text.position_at(symbol.name_span.start, PositionEncoding.UTF16)
    assert text.slice(symbol.span).startswith("def save_draft")


def test_each_stored_name_stands_at_its_stored_place() -> None:
    """In all languages, behind comments of many-byte letters, each symbol's name and line are those of its place."""
    languages = Languages.default()
    n_symbols = 0
    for path, original in corpus_files():
        language = languages.by_path(path)
        assert language is not None
        for before in ("é", "→ 3 µm", "😀 größe 模型", "a\u2028b\x0c"):
            text = Text.of(f"{language.comment} {before}\n{original}")
            for symbol in extract(language.name, text.content).symbols:
                n_symbols += 1
                assert symbol.name == text.slice(symbol.name_span)
                assert symbol.line == text.position_at(symbol.name_span.start, PositionEncoding.UTF16).line
                assert symbol.name in text.slice(symbol.span)

    assert n_symbols > 400

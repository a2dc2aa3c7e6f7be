"""Source files with what should be read from them drawn beneath their lines, as in tree-sitter's `test/tags`.

    def area(self) -> float:
    #   ^ method Shape.area | def area(self) -> float | First line of its documentation.

A caret points at a name in the line above; `<-` points at the column its own comment starts in. The words are kind and
qualified name of a definition, then its signature and documentation, which may be left out; a dash is none. Besides
definitions: `^ use name` is a reference, `^ import module name as alias` an import of that line. These lines are taken
out before the code is parsed, so the code stands as its author would write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codeassistd.syntax.languages import Languages
from codeassistd.text import Position, PositionEncoding, Text

#: The files, and the outline of each beside it.
CORPUS = Path(__file__).parents[1] / "syntax" / "corpus"

_EXPECTATION = re.compile(r"^(\s*)(#|//|--)(\s*)(\^|<-) (.+)$")


@dataclass(frozen=True)
class Expectation:
    """One drawn line: what is expected at a place of the code without drawn lines."""

    line: int
    offset: int
    words: str


def read_corpus(source: str) -> tuple[Text, list[Expectation]]:
    """The code without its drawn lines, and what those say."""
    code = [line for line in source.splitlines(keepends=True) if not _EXPECTATION.match(line)]
    text = Text.of("".join(code))
    return text, list(_expectations(source, text))


def _expectations(source: str, text: Text) -> Iterator[Expectation]:
    line = -1
    for written in source.splitlines():
        drawn = _EXPECTATION.match(written)
        if drawn is None:
            line += 1
            continue
        indent, comment, gap, mark, words = drawn.groups()
        column = len(indent) if mark == "<-" else len(indent + comment + gap)
        offset = text.offset_at(Position(line, column), PositionEncoding.UTF32)
        yield Expectation(line, offset, words.strip())


def corpus_files() -> list[tuple[str, Text]]:
    """Each corpus file without its drawn lines: name of the file, which names its language, and text."""
    languages = Languages.default()
    paths = sorted(path for path in CORPUS.iterdir() if languages.by_path(path))
    return [(path.name, read_corpus(path.read_text("utf-8"))[0]) for path in paths]

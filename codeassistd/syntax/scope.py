"""What stands around a place: the names near it, and the definition it lies in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from codeassistd.syntax.facts import FileFacts, Symbol
from codeassistd.syntax.languages import Language
from codeassistd.text import Span, Text

__all__ = ["enclosing", "identifiers", "names_near"]

_NAME = r"(?P<name>(?:[^\W\d]|\$)[\w$]*)"
# One letter seldom names anything that another file defines.
_MIN_LETTERS = 2


def identifiers(text: str, language: Language | None = None) -> list[str]:
    """The names in a piece of source, each once, in order of their first place.

    A scan by words, without a parse: comments to the end of the line, strings that end on their line, and keywords are
    left out, so far as `language` knows them. A piece that begins inside a string is read as if it did not.
    """
    return list(dict.fromkeys(name for name, _ in _scan(text, language)))


def names_near(text: Text, span: Span, offset: int, language: Language | None = None) -> list[str]:
    """The names inside `span`, each once, the nearest to `offset` first.

    Args:
        text: the document.
        span: where to look, such as the lines around the cursor.
        offset: byte that nearness is counted from. A name that touches it is being typed, and left out.
        language: whose comments, strings and keywords to leave out.
    """
    piece = text.slice(span)
    place = len(text.slice(Span(span.start, max(span.start, min(offset, span.end)))))
    distances: dict[str, int] = {}
    for name, start in _scan(piece, language):
        end = start + len(name)
        if start <= place <= end:
            continue
        distance = place - end if end < place else start - place
        distances[name] = min(distance, distances.get(name, distance))
    return sorted(distances, key=lambda name: distances[name])


def enclosing(facts: FileFacts, offset: int) -> Symbol | None:
    """The innermost definition whose span holds byte `offset`; its last byte's end still belongs to it."""
    innermost = None
    for symbol in facts.symbols:
        if symbol.span.start > offset:
            break
        if offset <= symbol.span.end:
            innermost = symbol
    return innermost


def _scan(text: str, language: Language | None) -> Iterator[tuple[str, int]]:
    keywords = frozenset[str]() if language is None else language.keywords
    for match in _pattern(language).finditer(text):
        name = match["name"]
        if name is not None and len(name) >= _MIN_LETTERS and name not in keywords:
            yield name, match.start("name")


@lru_cache(maxsize=64)
def _pattern(language: Language | None) -> re.Pattern[str]:
    """Names, or what hides names: a string, a comment, a number with letters in it."""
    if language is None:
        return re.compile(_NAME)
    strings = (rf"{quote}(?:\\.|[^{quote}\\\n])*{quote}" for quote in map(re.escape, language.strings))
    return re.compile("|".join([*strings, rf"{re.escape(language.comment)}[^\n]*", r"\d\w*", _NAME]))

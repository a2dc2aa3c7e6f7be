"""Outline."""

from __future__ import annotations

from collections.abc import Iterable

from codeassistd.syntax.facts import OutlineEntry
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.languages import Language
from codeassistd.syntax.source import Source

__all__ = ["collect"]


def collect(
    matches: Iterable[tuple[Pattern, Captures]], source: Source, language: Language
) -> tuple[OutlineEntry, ...]:
    """The outline."""
    del matches, source, language
    return ()

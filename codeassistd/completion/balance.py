"""Brackets and quotes of a piece of source, scanned by words: enough to tell which of two insertions fits better.

Strings, comments and escapes are stepped over, so far as the language's table knows them. A text that begins in the
middle of something is read as if it did not; only comparisons of two texts with the same beginning mean anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from codeassistd.syntax.languages import Language

__all__ = ["CLOSERS", "PAIRS", "Scan", "scan"]

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = frozenset(PAIRS.values())


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text leaves open.

    Attributes:
        openers: brackets still open at the end, outermost first.
        inside: the delimiter of a string or comment over several lines that the text ends in; empty outside of one.
        strays: places of closing brackets that close nothing.
        n_open_strings: strings that end neither before their line nor with it.
        comment: where the line comment begins that the text ends in; None outside of one.
    """

    openers: str
    inside: str
    strays: tuple[int, ...]
    n_open_strings: int
    comment: int | None = None

    @property
    def n_faults(self) -> int:
        """Closers without an opener, and strings and comments without an end."""
        return len(self.strays) + self.n_open_strings + bool(self.inside)


def scan(text: str, language: Language | None, openers: str = "", inside: str = "") -> Scan:
    """Scan `text`, which goes on from a text that left `openers` and `inside` open."""
    stack = list(openers)
    strays: list[int] = []
    n_open_strings = 0
    still_inside = ""
    comment = None
    end = len(inside) + len(text)
    for match in _pattern(language).finditer(inside + text):
        kind, word = match.lastgroup, match.group()
        if kind == "bracket":
            if word in PAIRS:
                stack.append(word)
            elif not _close(stack, word):
                strays.append(match.start() - len(inside))
        elif kind == "open":
            n_open_strings += 1
        elif kind == "comment" and match.end() == end:
            comment = match.start() - len(inside)
        elif kind is not None and kind.startswith("unended"):
            still_inside = _delimiter(word, language)
    return Scan("".join(stack), still_inside, tuple(strays), n_open_strings, comment)


def _close(stack: list[str], closer: str) -> bool:
    """Take the opener of `closer` off the stack, with what was left open inside; False where it has none."""
    for place in range(len(stack) - 1, -1, -1):
        if PAIRS[stack[place]] == closer:
            del stack[place:]
            return True
    return False


@lru_cache(maxsize=64)
def _pattern(language: Language | None) -> re.Pattern[str]:
    """Brackets, and what hides brackets; each alternative in its own group, `unended...` for what the text ends in."""
    alternatives: list[str] = []
    for number, (begin, end) in enumerate(_long(language)):
        alternatives += [
            rf"{re.escape(begin)}(?:\\.|[^\\])*?{re.escape(end)}",
            rf"(?P<unended{number}>{re.escape(begin)}(?:\\.|[^\\])*\Z)",
        ]
    quotes = language.strings if language is not None else ('"',)
    if language is not None:
        if language.comment:
            alternatives.append(rf"(?P<comment>{re.escape(language.comment)}[^\n]*)")
        if "'" not in quotes and all(begin != "'" for begin, _ in language.long_strings):
            # One letter: elsewhere, as in a lifetime of Rust, the quote is not one.
            alternatives.append(r"'(?:\\.|[^'\\\n])'")
    if quotes:
        strings = [rf"{quote}(?:\\.|[^{quote}\\\n])*" for quote in map(re.escape, quotes)]
        alternatives += [f"{string}{re.escape(quote)}" for string, quote in zip(strings, quotes, strict=True)]
        alternatives.append(f"(?P<open>{'|'.join(strings)})")
    alternatives.append(r"(?P<bracket>[()\[\]{}])")
    return re.compile("|".join(alternatives), re.DOTALL)


def _delimiter(word: str, language: Language | None) -> str:
    return next(begin for begin, _ in _long(language) if word.startswith(begin))


def _long(language: Language | None) -> tuple[tuple[str, str], ...]:
    """What may reach over several lines."""
    return () if language is None else (*language.block_comments, *language.long_strings)

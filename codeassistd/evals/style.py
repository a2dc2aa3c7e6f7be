"""Whether a suggestion keeps to the format of the file it goes to: indentation, quotes, brackets. Pure.

Judged by the text alone, and not by what made it fit.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from codeassistd.evals.fit.verdict import surplus

__all__ = ["Format", "format_of"]

_STRING = re.compile(r"(?<![\w\"'])(\"\"\"|'''|\"|')(?:\\.|(?!\1)[^\\\n])*\1")
_MOST = 0.8
"""Share of a file's strings that makes a habit."""
_FEWEST = 3
"""Strings that a file needs to have one."""
_DEFAULT_STEP = 4


@dataclass(frozen=True, slots=True)
class Format:
    """What is kept; None where nothing can be said.

    Attributes:
        indent: whole lines are indented with the file's own blanks, by whole steps where no bracket is open.
        quotes: short strings have the quotes that most of the file's have.
        brackets: as many are opened and closed as by what the file has there.
    """

    indent: bool | None
    quotes: bool | None
    brackets: bool

    @property
    def is_kept(self) -> bool:
        """Whether nothing is broken."""
        return self.indent is not False and self.quotes is not False and self.brackets


def format_of(before: str, inserted: str, after: str, removed: str) -> Format:
    """The format of `inserted` between two texts, where the file has `removed`."""
    file = before + removed + after
    return Format(
        indent=_keeps_indent(file, before, inserted),
        quotes=_keeps_quotes(file, inserted),
        brackets=surplus(inserted) == surplus(removed),
    )


def _keeps_indent(file: str, before: str, inserted: str) -> bool | None:
    unit = _unit(file)
    head = before.rpartition("\n")[2]
    lines = (head + inserted).split("\n")
    # Of a line that has begun already, the indentation is the user's.
    first = 0 if not head.strip() else 1
    judged = [
        line
        for number, line in enumerate(lines)
        if number >= first and line.strip() and not _is_open("\n".join([before, *lines[:number]])[-4000:])
    ]
    if not judged or not unit:
        return None
    return all(_is_in_steps(line[: len(line) - len(line.lstrip(" \t"))], unit) for line in judged)


def _is_in_steps(blanks: str, unit: str) -> bool:
    return set(blanks) <= set(unit) and len(blanks) % len(unit) == 0


def _is_open(text: str) -> bool:
    """Whether a round or square bracket of the last lines is open, so that what follows may be aligned with it."""
    last = text.rstrip()
    balance = surplus(last.rpartition("\n\n")[2])
    return last.endswith(("(", "[", ",")) or balance[")"] < 0 or balance["]"] < 0


def _unit(file: str) -> str:
    """One step of the file's indentation: a tab, or its most frequent number of blanks; empty where it has none."""
    lines = [line for line in file.split("\n") if line.strip()]
    leads = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines]
    indented = [lead for lead in leads if lead]
    if not indented:
        return ""
    if sum(lead.startswith("\t") for lead in indented) * 2 > len(indented):
        return "\t"
    steps = Counter(len(below) - len(above) for above, below in pairwise(leads) if len(below) > len(above))
    return " " * (steps.most_common(1)[0][0] if steps else _DEFAULT_STEP)


def _keeps_quotes(file: str, inserted: str) -> bool | None:
    mine, habit = _quotes(inserted), _quotes(file)
    n_all = sum(habit.values())
    if not mine or n_all < _FEWEST:
        return None
    quote, n_most = habit.most_common(1)[0]
    if n_most < _MOST * n_all:
        return None
    return set(mine) == {quote}


def _quotes(text: str) -> Counter[str]:
    """How many short strings are in each kind of quotes, those aside that hold the other kind."""
    kinds: Counter[str] = Counter()
    for match in _STRING.finditer(text):
        quote = match[1]
        other = "'" if quote == '"' else '"'
        if len(quote) == 1 and other not in match[0]:
            kinds[quote] += 1
    return kinds

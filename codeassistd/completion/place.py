"""The place a suggestion goes to, read once and handed to every filter.

Columns are counted in blanks; a tab is as wide as one level of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from codeassistd.completion.balance import CLOSERS, Scan, scan
from codeassistd.syntax.languages import Language

__all__ = ["Place", "Style", "closes_block", "ends_block", "is_in_prose", "lead", "opens_block", "opens_value"]

_DEFAULT_WIDTH = 4
_MAX_WIDTH = 8
#: Languages whose formatter leaves no choice.
_TAB_LANGUAGES = frozenset({"go"})
_BRACE_HEAD = r"\{\s*$"
_VALUE_HEAD = re.compile(r"(?:(?<![=!<>])=|[(\[,:?]|\breturn|\byield)\s*\{\s*$")
_FIRST_WORD = re.compile(r"\w+|;;")
_BLOCK_END = re.compile(r"\s*(?:return|raise|throw|break|continue|pass|goto|exit)\b|\s*[)\]}]+[;,]?\s*$")


@dataclass(frozen=True, slots=True)
class Style:
    """How a file indents.

    Attributes:
        unit: a tab or some blanks; empty where the file does not say.
    """

    unit: str

    @property
    def width(self) -> int:
        """Columns of one level."""
        return _DEFAULT_WIDTH if self.unit in {"", "\t"} else len(self.unit)

    def columns(self, blanks: str) -> int:
        """Columns that leading `blanks` take."""
        return sum(self.width if blank == "\t" else 1 for blank in blanks)

    def blanks(self, columns: int) -> str:
        """Leading blanks of that many columns, as this file writes them."""
        if self.unit == "\t":
            return "\t" * (columns // self.width) + " " * (columns % self.width)
        return " " * columns

    @classmethod
    def of(cls, lines: Sequence[str], language: Language | None) -> Style:
        """The style of a file, judged by the lines at hand."""
        indented = [line for line in lines if line[:1] in {" ", "\t"} and line.strip()]
        n_tabs = sum(line[0] == "\t" for line in indented)
        if n_tabs * 2 > len(indented):
            return cls("\t")
        if not indented:
            return cls("\t" if language is not None and language.name in _TAB_LANGUAGES else "")
        return cls(" " * _step(lines))


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor in its surroundings.

    Attributes:
        head, tail: the cursor's line before and after the cursor.
        above, below: whole lines before and after the cursor's line; perhaps not all of the document.
        knows_start: whether `above` begins with the document, so that a closer without an opener is one.
        scan: what the lines above leave open.
    """

    head: str
    tail: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    language: Language | None
    knows_start: bool
    style: Style
    scan: Scan

    @classmethod
    def of(cls, prefix: str, suffix: str, language: Language | None, *, knows_start: bool) -> Place:
        """The place between two texts."""
        *above, head = prefix.split("\n")
        tail, *below = suffix.split("\n")
        return cls(
            head=head,
            tail=tail,
            above=tuple(above),
            below=tuple(below),
            language=language,
            knows_start=knows_start,
            # The nearest lines decide: a file may hold parts of several styles.
            style=Style.of([*above[-200:], head + tail, *below[:100]], language),
            scan=scan("".join(f"{line}\n" for line in above), language),
        )

    def scanned(self, text: str = "") -> Scan:
        """The brackets and strings of the cursor's line with `text` behind what is typed, after the lines above."""
        return scan(self.head + text, self.language, self.scan.openers, self.scan.inside)

    @property
    def is_blank_before(self) -> bool:
        """Whether nothing but blanks stands before the cursor on its line."""
        return not self.head.strip()

    @property
    def rest(self) -> str:
        """What stands after the cursor on its line, without blanks round it."""
        return self.tail.strip()

    @property
    def line_above(self) -> str:
        """The nearest line above that is not blank; empty where there is none."""
        return next((line for line in reversed(self.above) if line.strip()), "")

    @property
    def line_below(self) -> str:
        """The nearest line below that is not blank; empty where there is none."""
        return next((line for line in self.below if line.strip()), "")

    @property
    def indent(self) -> int:
        """Columns before the first letter of the cursor's line."""
        return self.style.columns(lead(self.head))

    def levels(self) -> list[int]:
        """Columns of the blocks that the cursor may stand in, innermost first: those of the lines that hold it."""
        levels: list[int] = []
        for line in reversed(self.above):
            if line.strip():
                columns = self.style.columns(lead(line))
                if not levels or columns < levels[-1]:
                    levels.append(columns)
                if columns == 0:
                    break
        return levels or [0]


def lead(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def opens_block(line: str, language: Language | None) -> bool:
    """Whether a block begins behind `line`."""
    return re.search(_BRACE_HEAD if language is None else language.block_head, line) is not None


def opens_value(line: str) -> bool:
    """Whether `line` ends in the brace of a value, such as an object's, which is nothing before it is closed."""
    return _VALUE_HEAD.search(line) is not None


def is_in_prose(place: Place) -> bool:
    """Whether the cursor stands in a string or comment over several lines, by the words."""
    return bool(place.scanned().inside)


def closes_block(line: str, language: Language | None) -> bool:
    """Whether the block above `line` ends with it: a closing bracket, or a word that does the same."""
    line = line.lstrip()
    if line[:1] in CLOSERS:
        return True
    word = _FIRST_WORD.match(line)
    return word is not None and language is not None and word.group() in language.block_closers


def ends_block(line: str) -> bool:
    """Whether nothing can follow `line` in its block, or it is the block's end itself."""
    return _BLOCK_END.match(line) is not None


def _step(lines: Sequence[str]) -> int:
    """The most usual difference of one line's indentation from that of the line before it, where it grows."""
    widths = [len(lead(line)) for line in lines if line.strip() and not line.startswith("\t")]
    grown = Counter(after - before for before, after in pairwise(widths) if 1 < after - before <= _MAX_WIDTH)
    if grown:
        return max(grown, key=lambda width: (grown[width], -width))
    smallest = min((width for width in widths if width > 1), default=_DEFAULT_WIDTH)
    return smallest if smallest <= _MAX_WIDTH else _DEFAULT_WIDTH

"""The suggestion's indentation, made to fit the file: its unit, its first line, and the lines that follow.

A model may answer as if it went on after the typed blanks, as if it wrote the line anew, or as if its answer stood
alone. Which one is meant is told by the later lines: a block is deeper than its head, a plain line is followed by one
that is not, and a line that is less deep stands at the depth of some block that is open there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from codeassistd.completion.place import Place, Style, closes_block, ends_block, lead, opens_block

__all__ = ["indented"]

_MAX_UNIT = 4
_UNITS = frozenset({2, 4, 8})
_OPEN_END = re.compile(r".*[(\[{,\\]\s*$")
_TOP_LEVEL = re.compile(r"(?:async|def|class|import|from|func|fn|function|export|public|private|static)\b|@")


@dataclass(frozen=True, slots=True)
class _Lines:
    """The answer's lines: what they begin with, in columns of the file, and what follows."""

    columns: list[int]
    bodies: list[str]

    def next_after(self, index: int) -> int | None:
        """The next line that is not blank."""
        return next((place for place in range(index + 1, len(self.bodies)) if self.bodies[place]), None)


def indented(text: str, place: Place) -> str:
    """`text` in the file's own indentation; only blanks at the beginning of lines change."""
    raw = text.split("\n")
    style = place.style
    unit = _raw_unit(raw, style)
    lines = _Lines([_columns(lead(line), style, unit) for line in raw], [line.lstrip(" \t") for line in raw])
    if place.is_blank_before:
        first = _first_column(lines, place)
        base = _base_of_block(lines, place)
        out = [style.blanks(first - place.indent) + lines.bodies[0]]
    else:
        first = place.indent
        base = _base_behind_text(lines, place)
        out = [raw[0]]
    distances = _in_file_units([column - base for column in lines.columns], lines, place)
    last = len(raw) - 1
    for index in range(1, len(raw)):
        # A blank last line keeps its indentation: what stands behind the cursor goes there.
        blanks = style.blanks(max(0, first + distances[index])) if lines.bodies[index] or index == last else ""
        out.append(blanks + lines.bodies[index])
    return "\n".join(out)


def _raw_unit(raw: Sequence[str], style: Style) -> int:
    """Blanks per level of the answer where the file has tabs; a guess, since one line does not tell."""
    widths = [len(blanks) for line in raw if line.strip() and (blanks := lead(line)) and "\t" not in blanks]
    width = gcd(*widths)
    return min(width, _MAX_UNIT) if width > 1 else style.width


def _columns(blanks: str, style: Style, unit: int) -> int:
    if style.unit != "\t" or "\t" in blanks:
        return style.columns(blanks)
    return len(blanks) // unit * style.width + len(blanks) % unit


def _first_column(lines: _Lines, place: Place) -> int:
    """Where the first line will stand, on a line that has nothing but blanks yet."""
    column, typed = lines.columns[0], place.indent
    opened = _opened_column(place)
    if opened is not None and typed < opened and not closes_block(lines.bodies[0], place.language):
        # A block was opened and not yet entered. Where the file shows no unit of its own, the model's will do.
        written = max(column, typed + column if typed else 0)
        return opened if place.style.unit or written <= opened - place.style.width else written
    if typed or place.language is None:
        return typed or column
    if place.scan.openers and (place.scan.openers[-1] != "{" or place.language.is_offside):
        # Inside of brackets every depth is legal.
        return column
    levels = place.levels()
    return column if column in levels else min(levels, key=lambda level: (abs(level - column), -level))


def _opened_column(place: Place) -> int | None:
    """Where the body of a block begins that the line above has opened; None if it has not."""
    above = place.line_above
    if place.language is None or not above or not opens_block(above, place.language):
        return None
    head = place.style.columns(lead(above))
    # Where the file shows no unit of its own, typed blanks are one.
    return place.indent if not place.style.unit and place.indent > head else head + place.style.width


def _base_of_block(lines: _Lines, place: Place) -> int:
    """Where the first line stands, in the columns that the later lines count in."""
    column, typed = lines.columns[0], place.indent
    order = [column, typed, typed + column] if column >= typed else [typed, column, typed + column]
    levels = set(place.levels())
    return next((base for base in order if _is_plausible(lines, base, levels, place)), order[0])


def _is_plausible(lines: _Lines, base: int, levels: set[int], place: Place) -> bool:
    """Whether the second line can follow the first, if the first stands at column `base`."""
    second = lines.next_after(0)
    if second is None:
        return True
    column, head = lines.columns[second], lines.bodies[0]
    if opens_block(head, place.language):
        return column > base or (column == base and closes_block(lines.bodies[second], place.language))
    if column >= base:
        return column == base or _OPEN_END.match(head) is not None
    leaves = ends_block(head) or second > 1 or _TOP_LEVEL.match(lines.bodies[second]) is not None
    return column in levels and (leaves or closes_block(lines.bodies[second], place.language))


def _base_behind_text(lines: _Lines, place: Place) -> int:
    """The column that the cursor's line has in the columns of the later lines: its own, unless that cannot be."""
    second = lines.next_after(0)
    if second is None or not opens_block(place.head + lines.bodies[0], place.language):
        return place.indent
    column = lines.columns[second]
    closes = closes_block(lines.bodies[second], place.language)
    return place.indent if column > place.indent or closes else column - place.style.width


def _in_file_units(distances: list[int], lines: _Lines, place: Place) -> list[int]:
    """`distances` in levels of the file, where the answer was written with levels of another width."""
    width = place.style.width
    opener = next(
        (
            index
            for index, body in enumerate(lines.bodies)
            if opens_block(place.head + body if index == 0 else body, place.language)
        ),
        None,
    )
    inner = None if opener is None else lines.next_after(opener)
    if opener is None or inner is None or not place.style.unit:
        return distances
    step = distances[inner] - (0 if opener == 0 else distances[opener])
    if step == width or step not in _UNITS:
        return distances
    if any(distance % step for distance, body in zip(distances[1:], lines.bodies[1:], strict=True) if body):
        return distances
    return [distance // step * width for distance in distances]

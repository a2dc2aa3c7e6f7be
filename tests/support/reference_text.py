"""A text as an editor keeps it: a plain array of UTF-16 units, edited by line and unit. Slow and obviously right."""

from __future__ import annotations

import re

_ERRORS = "surrogatepass"
_LINE_END = re.compile("\r\n|\n|\r")


class ReferenceText:
    """The other side of a synchronised document."""

    def __init__(self, text: str) -> None:
        self.units = _units(text)

    def __str__(self) -> str:
        return "".join(self.units).encode("utf-16-le", _ERRORS).decode("utf-16-le", _ERRORS)

    @property
    def content(self) -> bytes:
        """The text in UTF-8."""
        return str(self).encode("utf-8", _ERRORS)

    def position_at(self, index: int) -> tuple[int, int]:
        """Line and character of a unit's index; inside a CRLF it is the end of that line."""
        joined = "".join(self.units)
        line, start = 0, 0
        for match in _LINE_END.finditer(joined):
            if match.end() > index:
                return line, min(index, match.start()) - start
            line, start = line + 1, match.end()
        return line, index - start

    def index_at(self, line: int, character: int) -> int:
        """The inverse of `position_at`, clamped like LSP says."""
        joined = "".join(self.units)
        starts = [0, *(match.end() for match in _LINE_END.finditer(joined))]
        ends = [*(match.start() for match in _LINE_END.finditer(joined)), len(joined)]
        if line >= len(starts):
            return len(joined)
        return min(starts[line] + character, ends[line])

    def replace(self, start: tuple[int, int], end: tuple[int, int], new: str) -> None:
        """Replace a range of positions."""
        first, last = sorted((self.index_at(*start), self.index_at(*end)))
        self.units[first:last] = _units(new)


def _units(text: str) -> list[str]:
    """Each UTF-16 unit as one letter (half of a pair stands alone)."""
    data = text.encode("utf-16-le", _ERRORS)
    return [chr(int.from_bytes(data[at : at + 2], "little")) for at in range(0, len(data), 2)]

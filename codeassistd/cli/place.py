"""A place as compilers and editors print it: FILE:LINE:COL, both numbers from 1."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeassistd.cli.text_file import read_text_file
from codeassistd.errors import UsageError
from codeassistd.text import Position, PositionEncoding, Text

__all__ = ["Place"]

_FORM = "write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor in a file.

    Attributes:
        path: absolute.
        line, column: as given, from 1; columns count letters.
    """

    path: Path
    text: Text
    line: int
    column: int

    @classmethod
    def parse(cls, argument: str, unsaved: bytes | None = None) -> Place:
        """Find the place in the file, or in the `unsaved` text that stands for the file's.

        Raises:
            UsageError: not of that form, no such file, or no such place in it.
        """
        name, line, column = _split(argument)
        text = Text.of(read_text_file(name) if unsaved is None else _decoded(name, unsaved))
        if line > text.line_count:
            raise UsageError(f"{name} has {text.line_count} lines, so there is no line {line}")
        letters = len(text.line(line - 1))
        if column > letters + 1:
            raise UsageError(f"line {line} of {name} ends at column {letters + 1}, so there is no column {column}")
        return cls(Path(name).absolute(), text, line, column)

    @property
    def offset(self) -> int:
        """Bytes from the start of the text."""
        return self.text.offset_at(Position(self.line - 1, self.column - 1), PositionEncoding.UTF32)


def _split(argument: str) -> tuple[str, int, int]:
    # From the right, since a Windows path has a colon of its own.
    parts = argument.rsplit(":", 2)
    if len(parts) != 3 or not parts[0]:  # noqa: PLR2004 - file, line and column
        raise UsageError(f"{argument}: {_FORM}")
    name, line, column = parts
    if not (line.isdecimal() and column.isdecimal() and int(line) > 0 and int(column) > 0):
        raise UsageError(f"{argument}: {_FORM}")
    return name, int(line), int(column)


def _decoded(name: str, content: bytes) -> str:
    try:
        # Editors do not show a byte-order mark, so no column counts it.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start}); save it as UTF-8") from error

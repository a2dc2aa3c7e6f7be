"""One cursor whose next line needs a definition of another file, and what stood there in truth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codeassistd.evals.context.repository import SourceFile
from codeassistd.text import Span, Text

__all__ = ["Case", "Needed", "Use"]


class Use(StrEnum):
    """How the line uses the symbol."""

    NAME = "name"
    """By its name alone."""
    MEMBER = "member"
    """Behind a dot or its like: a method, an attribute, a function of a module."""


@dataclass(frozen=True, slots=True)
class Needed:
    """The definition that the line needs.

    Attributes:
        signatures: as written, each on one line; more than one where it is overloaded. Any of them will do.
    """

    name: str
    kind: str
    path: str
    parent: str
    signatures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A cursor at the first letter of a line, in a file that lacks this line's text.

    Attributes:
        text: the file as it is while nothing of the line is written.
        offset: of the cursor, in bytes.
        truth: the line, from the cursor to its end.
        behind: what stands behind the line in the file; begins with its line end.
    """

    file: SourceFile
    text: Text
    offset: int
    truth: str
    behind: str
    use: Use
    needed: Needed

    @classmethod
    def at(cls, file: SourceFile, line: int, use: Use, needed: Needed) -> Case:
        """The case of one line."""
        start, end = file.text.line_start(line), file.text.line_end(line)
        whole = file.text.slice(Span(start, end))
        offset = start + len(whole) - len(whole.lstrip())
        return cls(
            file=file,
            text=file.text.replace(Span(offset, end), ""),
            offset=offset,
            truth=whole.strip(),
            behind=file.text.slice(Span(end, len(file.text))),
            use=use,
            needed=needed,
        )

    @property
    def line(self) -> int:
        """Number of the cursor's line, from zero."""
        return self.text.line_of(self.offset)

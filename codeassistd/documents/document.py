"""One version of one open document."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.documents.change import Change
from codeassistd.text import Position, Text

__all__ = ["Document", "TextChange"]


@dataclass(frozen=True, slots=True)
class Document:
    """A snapshot: what the editor showed at `version`.

    Attributes:
        uri: the client's name for it.
        path: where it lies on disk; None for untitled buffers and foreign schemes.
        language: LSP language id as the client gave it.
        version: the client's number, growing with each change.
        changes: what made it of the version before, one after the other; empty where that is not known.
    """

    uri: str
    path: Path | None
    language: str
    version: int
    text: Text
    changes: tuple[Change, ...] = field(default=(), compare=False, repr=False)

    def changes_since(self, before: Document) -> tuple[Change, ...]:
        """What made this version of the one before, one change after the other."""
        return self.changes or (Change.between(before.text.content, self.text.content),)


@dataclass(frozen=True, slots=True)
class TextChange:
    """One change of a notification; without a range it replaces the whole text."""

    text: str
    start: Position | None = None
    end: Position | None = None

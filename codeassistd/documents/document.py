"""One version of one open document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
    """

    uri: str
    path: Path | None
    language: str
    version: int
    text: Text


@dataclass(frozen=True, slots=True)
class TextChange:
    """One change of a notification; without a range it replaces the whole text."""

    text: str
    start: Position | None = None
    end: Position | None = None

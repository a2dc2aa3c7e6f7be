"""What the indexer asks of a parsing worker and what comes back, as values made of plain numbers and strings.

Between the two processes they travel as `marshal` of tuples: several times faster than JSON, and both ends are the
same interpreter running the same code, joined by a private pipe.
"""

from __future__ import annotations

import marshal
import struct
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, TypeAlias

__all__ = [
    "INDEXED",
    "NO_GRAMMAR",
    "WALL_FACTOR",
    "Gone",
    "Job",
    "Limits",
    "Outcome",
    "Parsed",
    "Unchanged",
    "outcome_of",
    "read_frame",
    "wire_of",
    "write_frame",
]

INDEXED = "indexed"
NO_GRAMMAR = "skipped: its grammar does not load"
#: A file may take so much longer by the clock than its worker computes: one that waits for its disk for ever ends, too.
WALL_FACTOR = 20.0
_TOO_LARGE = "skipped: larger than "
_LINE_TOO_LONG = "skipped: a line is longer than "
_TOO_SLOW = "failed: took longer than "

SymbolRow: TypeAlias = tuple[str, str, str, str, str, int, int, int, int, int, str, str, str]
"""name, kind, qualified name, signature, doc, start, end, start and end of the name, line, parent, owner, bases.

The owner is the last word of the parent, and the bases stand in one string with blanks between them.
"""
ReferenceRow: TypeAlias = tuple[str, int, int]
"""name, how often it is used, line of its first use."""
ImportRow: TypeAlias = tuple[str, str, str, int]
"""module, name, alias, line."""
ChunkRow: TypeAlias = tuple[str, int, int, int, int, str]
"""name, start, end, first line, line behind the last, words that it can be found by with blanks between them."""

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Limits:
    """What is too much for one file.

    Attributes:
        timeout_s: processor time in one file, enforced from outside the worker.
    """

    max_bytes: int
    max_line_bytes: int
    timeout_s: float

    @property
    def too_large(self) -> str:
        """The verdict on a file with too many bytes."""
        return f"{_TOO_LARGE}{self.max_bytes} bytes"

    @property
    def line_too_long(self) -> str:
        """The verdict on a file that looks minified."""
        return f"{_LINE_TOO_LONG}{self.max_line_bytes} bytes"

    @property
    def too_slow(self) -> str:
        """The verdict on a file that its parser did not get through."""
        return f"{_TOO_SLOW}{self.timeout_s:g} s"

    def may_have_changed(self, verdict: str) -> bool:
        """Whether a file that did not change may get another verdict now: limits were moved, a grammar was mended."""
        if verdict == NO_GRAMMAR:
            return True
        current = (self.too_large, self.line_too_long, self.too_slow)
        return verdict.startswith((_TOO_LARGE, _LINE_TOO_LONG, _TOO_SLOW)) and verdict not in current


@dataclass(frozen=True, slots=True)
class Job:
    """One file to read.

    Attributes:
        path: relative to `root`, with `/`.
        known_hash: of the content that is already in the store; the file is not parsed again if it still has it.
    """

    root: Path
    path: str
    language: str
    known_hash: bytes = b""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file that was read: its rows, and the size and time it had before it was read.

    Attributes:
        verdict: `indexed`, `indexed: as ENCODING`, `skipped: why` or `failed: why`.
        hash: of the bytes on disk; empty where nothing was indexed, so that such a file is never taken for known.
    """

    size: int
    mtime_ns: int
    hash: bytes
    verdict: str
    symbols: tuple[SymbolRow, ...] = ()
    references: tuple[ReferenceRow, ...] = ()
    imports: tuple[ImportRow, ...] = ()
    chunks: tuple[ChunkRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file whose content is the known one; only its time may have changed."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Gone:
    """A file that is not there, or is no plain file any more."""


Outcome: TypeAlias = Parsed | Unchanged | Gone
_OUTCOMES: dict[str, type[Parsed | Unchanged | Gone]] = {kind.__name__: kind for kind in (Parsed, Unchanged, Gone)}


def wire_of(outcome: Outcome) -> tuple[Any, ...]:
    """`outcome` as a tuple that `outcome_of` reads."""
    return (type(outcome).__name__, *(getattr(outcome, field.name) for field in fields(outcome)))


def outcome_of(wire: tuple[Any, ...]) -> Outcome:
    """The outcome that was made into `wire`."""
    kind, *values = wire
    return _OUTCOMES[kind](*values)


def write_frame(stream: IO[bytes], payload: tuple[Any, ...]) -> None:
    """Send one tuple of plain values."""
    data = marshal.dumps(payload)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[Any, ...] | None:
    """Receive one tuple; None at the end of the stream, also in the middle of a frame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        return None
    payload: tuple[Any, ...] = marshal.loads(data)  # noqa: S302 - from our own child through a private pipe
    return payload

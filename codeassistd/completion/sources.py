"""The versions of the files that a prompt quotes: an answer is as old as the oldest of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codeassistd.context.types import PromptPart

__all__ = ["Sources"]


@dataclass(frozen=True, slots=True)
class Sources:
    """Files beside the document itself, each with its size and time when the prompt was built; None where it is not."""

    stamps: tuple[tuple[Path, tuple[int, int] | None], ...] = ()

    @classmethod
    def of(cls, parts: Iterable[PromptPart], root: Path | None, own: Path | None) -> Sources:
        """Those of a prompt for the document at `own` in the workspace at `root`."""
        if root is None:
            return cls()
        paths = {root / part.source for part in parts if part.source}
        return cls(tuple((path, _stamp(path)) for path in sorted(paths) if path != own))

    @property
    def are_current(self) -> bool:
        """Whether all of them are on disk as they were."""
        return all(_stamp(path) == stamp for path, stamp in self.stamps)

    def __contains__(self, path: Path) -> bool:
        return any(path == source for source, _ in self.stamps)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_size, info.st_mtime_ns

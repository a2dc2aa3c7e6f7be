"""Draft models of the user's own making: the first layers of other models, one file each, named by its origin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Drafts", "draft_name"]

_SUFFIX = ".gguf"

_ODD = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Drafts:
    """The files in their folder, which is made by whoever writes the first one."""

    folder: Path

    def names(self) -> list[str]:
        """Those that are here."""
        return sorted(path.stem for path in self.folder.glob(f"*{_SUFFIX}") if path.is_file())

    def path_of(self, name: str) -> Path:
        """Where the draft model of that name belongs."""
        return self.folder / f"{name}{_SUFFIX}"

    def find(self, name: str) -> Path | None:
        """Its file; None if there is none."""
        return self.path_of(name) if name in self.names() else None


def draft_name(model: str, n_layers: int) -> str:
    """What the first layers of a model are called: `starter-8layers`."""
    stem = _ODD.sub("-", Path(model).name.removesuffix(_SUFFIX))
    return f"{stem}-{n_layers}layers"

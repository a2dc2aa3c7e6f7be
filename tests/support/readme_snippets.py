"""The lines that `editors/README.md` gives for editors without a client of ours."""

from __future__ import annotations

import textwrap
from pathlib import Path

__all__ = ["snippet"]

_README = Path(__file__).resolve().parents[2] / "editors/README.md"


def snippet(title: str, index: int = 0) -> str:
    """An indented block of a section, by default the first."""
    _, _, after = _README.read_text(encoding="utf-8").partition(f"### {title}\n")
    blocks: list[list[str]] = [[]]
    for line in after.partition("\n#")[0].splitlines():
        if line.startswith("    ") or (blocks[-1] and not line):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return textwrap.dedent("\n".join(blocks[index]))

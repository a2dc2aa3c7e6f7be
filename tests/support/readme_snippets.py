"""The lines that `editors/README.md` gives for editors without a client of ours."""

from __future__ import annotations

import textwrap
from pathlib import Path

__all__ = ["snippet"]

_README = Path(__file__).resolve().parents[2] / "editors/README.md"


def snippet(title: str) -> str:
    """The first indented block of a section."""
    _, _, after = _README.read_text(encoding="utf-8").partition(f"### {title}\n")
    section = after.partition("\n#")[0]
    lines: list[str] = []
    for line in section.splitlines():
        if line.startswith("    ") or (lines and not line):
            lines.append(line)
        elif lines:
            break
    return textwrap.dedent("\n".join(lines))

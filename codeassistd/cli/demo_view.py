"""How the demo shows a completion: the place, the suggestion as dim ghost text, what was read, how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text as Styled

from codeassistd.cli.editor import Buffer

__all__ = ["show"]

_LINES_BEFORE = 6
_GHOST = "dim italic"
_INDENT = "    "


def show(console: Console, title: str, buffer: Buffer, suggestion: str | None, span: Mapping[str, Any]) -> None:
    """Print one completion: the lines before the cursor with the suggestion, and under them the figures."""
    code = Styled(_lines_before(buffer))
    if suggestion is None:
        code.append(f"  ({span.get('reason') or span.get('outcome') or 'no suggestion'})", style="red")
    else:
        code.append(suggestion, style=_GHOST)
    console.print(Styled(title, style="bold"))
    for line in code.split("\n", allow_blank=True):
        console.print(Styled(_INDENT), line, sep="")
    console.print(Styled(f"{_parts(span)}\n{_times(span)}\n", style="cyan"))


def _lines_before(buffer: Buffer) -> str:
    first = max(0, buffer.text.line_of(buffer.offset) - _LINES_BEFORE)
    return buffer.text.content[buffer.text.line_start(first) : buffer.offset].decode("utf-8")


def _parts(span: Mapping[str, Any]) -> str:
    parts = span.get("parts", ())
    sizes = Counter[str]()
    for part in parts:
        sizes[part["name"]] += part["n_tokens"]
    listed = " + ".join(f"{name} {size}" for name, size in sizes.items()) or "nothing"
    n_tokens = sizes.total()
    return f"prompt: {listed} = {n_tokens} tokens, {span.get('n_cached', 0)} of them in the cache before"


def _times(span: Mapping[str, Any]) -> str:
    n_output = span.get("n_output", 0)
    return f"TTFT {span.get('ttft_ms', 0):.0f} ms, total {span.get('total_ms', 0):.0f} ms, {n_output} tokens written"

"""How the demo shows a completion: the place, the suggestion as dim ghost text, what was read, how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text as Styled

from codeassistd.cli.editor import Buffer

__all__ = ["completion_panel", "show"]

_LINES_BEFORE = 6
_GHOST = "dim italic"


def show(console: Console, title: str, buffer: Buffer, suggestion: str | None, span: Mapping[str, Any]) -> None:
    """Print one completion."""
    console.print(completion_panel(title, buffer, suggestion, span))


def completion_panel(title: str, buffer: Buffer, suggestion: str | None, span: Mapping[str, Any]) -> Panel:
    """The lines before the cursor with the suggestion, and under them the figures."""
    code = Styled(_lines_before(buffer))
    code.append(suggestion or "", style=_GHOST)
    if suggestion is None:
        code.append(f"  ({span.get('reason') or span.get('outcome') or 'no suggestion'})", style="red")
    figures = Styled(f"\n{_parts(span)}\n{_times(span)}", style="cyan")
    return Panel(Group(code, figures), title=Styled(title, style="bold"), title_align="left", border_style="dim")


def _lines_before(buffer: Buffer) -> str:
    first = max(0, buffer.text.line_of(buffer.offset) - _LINES_BEFORE)
    return buffer.text.content[buffer.text.line_start(first) : buffer.offset].decode("utf-8")


def _parts(span: Mapping[str, Any]) -> str:
    parts = " + ".join(f"{part['name']} {part['n_tokens']}" for part in span.get("parts", ()))
    return f"prompt: {parts or 'none'} = {span.get('n_prompt', 0)} tokens, {span.get('n_cached', 0)} of them cached"


def _times(span: Mapping[str, Any]) -> str:
    n_output = span.get("n_output", 0)
    return f"TTFT {span.get('ttft_ms', 0):.0f} ms, total {span.get('total_ms', 0):.0f} ms, {n_output} tokens written"

"""A screen of Neovim as a picture: what it draws for a user interface, cell by cell, and that as SVG.

A terminal's screen is one too: that of a program which Neovim runs in its terminal.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

import pynvim

__all__ = ["Screen"]

#: Of a cell in the picture's units, and the frame round the cells.
_WIDTH, _HEIGHT = 8.4, 18.0
_MARGIN, _TITLE = 14.0, 34.0
_BASELINE = 13.5
_FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_BUTTONS = ("#ff5f57", "#febc2e", "#28c840")
_TITLE_COLOUR = "#9b9ea4"


@dataclass(frozen=True, slots=True)
class _Look:
    """How a cell is drawn; colours are numbers of 24 bits."""

    foreground: int = 0xE0E2EA
    background: int = 0x14161B
    is_bold: bool = False
    is_italic: bool = False


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str = " "
    look: int = 0


class Screen:
    """Attached to a Neovim as its user interface, and kept up to date by a thread of its own."""

    def __init__(self, address: str, n_columns: int, n_rows: int) -> None:
        """Attach to the Neovim that listens at an address."""
        self._lock = threading.Lock()
        self._size = (n_columns, n_rows)
        self._plain = _Look()
        self._looks: dict[int, Mapping[str, Any]] = {}
        self._rows: list[list[_Cell]] = [[_Cell()] * n_columns for _ in range(n_rows)]
        self._cursor = (0, 0)
        self._api = pynvim.attach("socket", path=address)
        self._api.ui_attach(n_columns, n_rows, rgb=True, ext_linegrid=True)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def text(self) -> str:
        """The cells without their looks."""
        with self._lock:
            return "\n".join("".join(cell.text for cell in row).rstrip() for row in self._rows)

    def svg(self, title: str) -> str:
        """The screen in a window with a title."""
        with self._lock:
            n_columns, n_rows = self._size
            width = n_columns * _WIDTH + 2 * _MARGIN
            height = n_rows * _HEIGHT + _TITLE + _MARGIN
            rows = "".join(self._row(index) for index in range(n_rows))
            return (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
                f'aria-label="{escape(title)}">\n'
                f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{_hex(self._plain.background)}"/>\n'
                + "".join(
                    f'<circle cx="{_MARGIN + 6 + 18 * index:g}" cy="17" r="5.5" fill="{colour}"/>'
                    for index, colour in enumerate(_BUTTONS)
                )
                + f'\n<text x="{width / 2:g}" y="21" text-anchor="middle" font-family="sans-serif" font-size="12" '
                f'fill="{_TITLE_COLOUR}">{escape(title)}</text>\n'
                f'<g font-family="{_FONTS}" font-size="14">\n{rows}</g>\n{self._bar()}</svg>\n'
            )

    def _row(self, index: int) -> str:
        """One row as runs of the same look: a box where the background is not the plain one, and the text over it."""
        parts, column = [], 0
        top = _TITLE + index * _HEIGHT
        for look, run in groupby(self._rows[index], self._look):
            cells = [cell.text for cell in run]
            n_cells = len(cells)
            left, width = _MARGIN + column * _WIDTH, n_cells * _WIDTH
            if look.background != self._plain.background:
                parts.append(
                    f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{_HEIGHT:g}" '
                    f'fill="{_hex(look.background)}"/>'
                )
            parts.append(_text(cells, left, top + _BASELINE, look))
            column += n_cells
        return "".join(parts) + "\n"

    def _bar(self) -> str:
        """The cursor, as it is where one writes."""
        row, column = self._cursor
        left, top = _MARGIN + column * _WIDTH, _TITLE + row * _HEIGHT
        colour = _hex(self._plain.foreground)
        return f'<rect x="{left - 0.5:g}" y="{top:g}" width="2" height="{_HEIGHT:g}" fill="{colour}"/>\n'

    def _look(self, cell: _Cell) -> _Look:
        found = self._looks.get(cell.look, {})
        look = replace(
            self._plain,
            foreground=found.get("foreground", self._plain.foreground),
            background=found.get("background", self._plain.background),
            is_bold=bool(found.get("bold")),
            is_italic=bool(found.get("italic")),
        )
        if found.get("reverse"):
            return replace(look, foreground=look.background, background=look.foreground)
        return look

    def _listen(self) -> None:
        # Ends in this error when Neovim does.
        with contextlib.suppress(EOFError):
            self._api.run_loop(lambda *_: None, lambda name, events: self._redraw(events) if name == "redraw" else None)

    def _redraw(self, events: Sequence[Sequence[Any]]) -> None:
        with self._lock:
            for name, *calls in events:
                draw = getattr(self, f"_on_{name}", None)
                for call in calls if draw is not None else ():
                    draw(*call)

    def _on_default_colors_set(self, foreground: int, background: int, *_: object) -> None:
        self._plain = _Look(foreground, background)

    def _on_hl_attr_define(self, look: int, colours: Mapping[str, Any], *_: object) -> None:
        self._looks[look] = colours

    def _on_grid_line(self, _grid: int, row: int, column: int, cells: Sequence[Sequence[Any]], *_: object) -> None:
        look = 0
        for text, *more in cells:
            look = more[0] if more else look
            for _repeated in range(more[1] if len(more) > 1 else 1):
                self._rows[row][column] = _Cell(text, look)
                column += 1

    def _on_grid_clear(self, _grid: int) -> None:
        n_columns, n_rows = self._size
        self._rows = [[_Cell()] * n_columns for _ in range(n_rows)]

    def _on_grid_cursor_goto(self, _grid: int, row: int, column: int) -> None:
        self._cursor = (row, column)

    def _on_grid_scroll(self, _grid: int, top: int, bottom: int, left: int, right: int, n_rows: int, _: int) -> None:
        rows = range(top, bottom - n_rows) if n_rows > 0 else range(bottom - 1, top - n_rows - 1, -1)
        for row in rows:
            self._rows[row][left:right] = self._rows[row + n_rows][left:right]


def _text(cells: Sequence[str], left: float, baseline: float, look: _Look) -> str:
    """Text whose letters stand in their cells, whatever font draws them; nothing where there are only blanks."""
    drawn = [index for index, cell in enumerate(cells) if cell != " "]
    if not drawn:
        return ""
    text = "".join(cells[drawn[0] : drawn[-1] + 1])
    style = (' font-weight="bold"' if look.is_bold else "") + (' font-style="italic"' if look.is_italic else "")
    return (
        f'<text x="{left + drawn[0] * _WIDTH:g}" y="{baseline:g}" '
        f'textLength="{(drawn[-1] + 1 - drawn[0]) * _WIDTH:g}" xml:space="preserve" '
        f'fill="{_hex(look.foreground)}"{style}>{escape(text)}</text>'
    )


def _hex(colour: int) -> str:
    return f"#{colour:06x}"

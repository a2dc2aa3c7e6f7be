"""One line in a picture: a plot as SVG text, so small that no library is needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

__all__ = ["plot"]

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 50
_N_TICKS = 5
_STYLE = (
    "text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}"
    ".grid{stroke:#ddd}.line{fill:none;stroke:#0b62a4;stroke-width:2}.dot{fill:#0b62a4}"
)


def plot(title: str, x_label: str, y_label: str, points: Sequence[tuple[float, float]]) -> str:
    """The points joined by a line; each x has its tick, on a logarithmic axis, and y begins at 0.

    Args:
        title: stands above.
        x_label: what is drawn along, with its unit.
        y_label: what is drawn up, with its unit.
        points: x and y, both above 0, in the order of x.
    """
    top = _round_up(max((y for _, y in points), default=1.0))
    xs = [x for x, _ in points]
    places = [(_x(x, xs), _y(y, top)) for x, y in points]
    steps = [top * tick / _N_TICKS for tick in range(_N_TICKS + 1)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<text class="title" x="{_LEFT}" y="{_TOP - 18}">{escape(title)}</text>',
        *(_horizontal(value, top) for value in steps),
        *(_text(_x(x, xs), _HEIGHT - _BOTTOM + 18, f"{x:g}", "middle") for x in xs),
        _text(_WIDTH - _RIGHT, _HEIGHT - 12, escape(x_label), "end"),
        _text(_LEFT, _TOP - 4, escape(y_label), "end"),
        f'<polyline class="line" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>',
        *(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(value: float, xs: Sequence[float]) -> float:
    low, high = math.log2(min(xs)), math.log2(max(xs))
    part = (math.log2(value) - low) / (high - low) if high > low else 0.5
    return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - value / top * (_HEIGHT - _TOP - _BOTTOM)


def _horizontal(value: float, top: float) -> str:
    y = _y(value, top)
    line = f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}"/>'
    return line + _text(_LEFT - 8, y + 4, f"{value:g}", "end")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _round_up(value: float) -> float:
    """The next number of the kind 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)

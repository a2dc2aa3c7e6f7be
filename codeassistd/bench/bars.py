"""Values as bars in a picture: SVG text, so small that no library is needed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["bars"]

_WIDTH, _ROW, _TOP = 640, 22, 40
_LABELS, _VALUES = 230, 60
_STYLE = (
    "text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}.bar{fill:#0b62a4}.below{fill:#a44b0b}"
)


def bars(title: str, values: Sequence[tuple[str, float]]) -> str:
    """One bar for each value, in the order given; those below 0 go to the same side, in another colour.

    Args:
        title: stands above, with the unit.
        values: a label and a number each.
    """
    most = max((abs(value) for _, value in values), default=0.0) or 1.0
    room = _WIDTH - _LABELS - _VALUES
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_TOP + _ROW * len(values) + 10}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<text class="title" x="10" y="20">{escape(title)}</text>',
    ]
    for place, (label, value) in enumerate(values):
        y = _TOP + _ROW * place
        width = room * abs(value) / most
        kind = "below" if value < 0 else "bar"
        parts.append(f'<text x="{_LABELS - 8}" y="{y + 14}" text-anchor="end">{escape(label)}</text>')
        parts.append(f'<rect class="{kind}" x="{_LABELS}" y="{y + 3}" width="{width:.1f}" height="14"/>')
        parts.append(f'<text x="{_LABELS + width + 6:.1f}" y="{y + 14}">{value:.3g}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"

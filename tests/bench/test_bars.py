"""Values as bars: one for each, by the greatest of them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from codeassistd.bench.bars import bars


def widths(picture: str) -> list[tuple[str, float]]:
    return [(kind, float(width)) for kind, width in re.findall(r'<rect class="(\w+)".*?width="([\d.]+)"', picture)]


def test_bars_are_as_long_as_their_values() -> None:
    """The greatest takes the room there is; what is below 0 has another colour."""
    assert [("bar", 350.0), ("bar", 87.5), ("below", 175.0), ("bar", 0.0)] == widths(
        bars("A key (ms)", [("f16", 200.0), ("q8_0", 50.0), ("worse", -100.0), ("none", 0.0)])
    )


def test_the_picture_is_well_formed_whatever_the_labels_are() -> None:
    """Labels are text."""
    root = ET.fromstring(bars("<&> (ms)", [("a < b & c", 1.0)]))

    assert "a < b & c" in "".join(root.itertext())


def test_nothing_is_drawn_of_nothing() -> None:
    """A title alone, and no division by zero."""
    assert [] == widths(bars("empty", []))
    assert [("bar", 0.0)] == widths(bars("zeros", [("a", 0.0)]))

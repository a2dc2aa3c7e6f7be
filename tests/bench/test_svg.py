from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from codeassistd.bench.svg import plot

NAMESPACE = "{http://www.w3.org/2000/svg}"


def places(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where the line goes through, in the picture."""
    root = ET.fromstring(plot("a < b", "tokens", "ms", points))
    line = root.find(f"{NAMESPACE}polyline")
    assert line is not None
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([\d.]+)", line.get("points", ""))]


def test_a_plot_is_well_formed_and_says_what_it_shows() -> None:
    """Its title may hold any letter."""
    root = ET.fromstring(plot("a < b & c", "tokens", "ms", [(1, 10), (2, 12)]))
    texts = [text.text for text in root.iter(f"{NAMESPACE}text")]

    assert "a < b & c" == root.findtext(f"{NAMESPACE}title")
    assert {"tokens", "ms", "1", "2", "0", "20"} <= set(texts)


def test_the_axis_along_is_logarithmic_and_the_one_up_begins_at_zero() -> None:
    """Each doubling is as wide as the one before; twice the time stands twice as high."""
    (x1, y1), (x2, _), (x4, y4) = places([(1, 10), (2, 5), (4, 20)])

    assert round(x2 - x1, 1) == round(x4 - x2, 1)
    ground = 350.0
    assert round(2 * (ground - y1), 1) == round(ground - y4, 1)


def test_one_point_stands_in_the_middle() -> None:
    """There is no range to put it in."""
    ((x, _),) = places([(8, 3)])

    assert 70 < x < 620

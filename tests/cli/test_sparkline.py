"""Values as one line of letters."""

from __future__ import annotations

import pytest

from codeassistd.cli.sparkline import bar, sparkline


@pytest.mark.parametrize(
    ("values", "width", "expected"),
    [
        ([], 5, ""),
        ([0, 0], 5, "▁▁"),
        ([0, 1, 2, 4], 5, "▁▃▅█"),
        ([9, 1, 2], 2, "▅█"),
        ([-1, 1], 5, "▁█"),
        ([1, 2], 0, ""),
    ],
)
def test_the_newest_values_stand_by_the_greatest_of_them(values: list[float], width: int, expected: str) -> None:
    """Heights are from 0 on: a value of half the greatest is half as high."""
    assert expected == sparkline(values, width)


def test_a_terminal_of_plain_letters_gets_plain_letters() -> None:
    """What cannot be encoded would end the verb."""
    assert "_-+#" == sparkline([0, 1, 2, 4], 5, is_plain=True)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.5, 0.2), "aaaaabb   "),
        ((0.0, 1.0), "bbbbbbbbbb"),
        ((0.04, 0.04), "b         "),
        ((0.8, 0.8), "aaaaaaaabb"),
    ],
)
def test_each_share_gets_its_part_of_a_bar(shares: tuple[float, float], expected: str) -> None:
    """Parts are rounded at their ends, so that the whole is never longer than the bar."""
    assert expected == bar(shares, "ab", 10)

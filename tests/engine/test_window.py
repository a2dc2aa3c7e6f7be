"""Running medians."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.window import Window


def filled(n_most: int, *values: float) -> Window:
    window = Window(n_most)
    for value in values:
        window.add(value)
    return window


def test_an_empty_window_knows_nothing() -> None:
    """Its quantiles are 0."""
    assert (0, 0.0, 0.0) == (len(Window(3)), Window(3).median, Window(3).quantile(0.99))


def test_one_mad_value_does_not_move_the_median() -> None:
    """That is what it is for."""
    assert 11.0 == filled(5, 10, 11, 3000, 12, 9).median


def test_old_values_leave() -> None:
    """Only the newest count."""
    window = filled(3, 1, 1, 1, 5, 6, 7)
    assert (3, 6.0) == (len(window), window.median)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 8), st.floats(0, 1))
def test_quantiles_are_those_of_the_newest_values(values: list[int], n_most: int, share: float) -> None:
    """Against sorting them each time."""
    newest = sorted(values[-n_most:])
    expected = newest[min(int(share * len(newest)), len(newest) - 1)]
    assert expected == filled(n_most, *values).quantile(share)

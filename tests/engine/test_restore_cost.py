"""Whether bringing a state back is quicker than reading its tokens."""

from __future__ import annotations

from codeassistd.engine.restore_cost import RestoreCost


def measured(read_s: float, move_s: float) -> RestoreCost:
    """After many measurements of seconds per token and per byte."""
    cost = RestoreCost()
    for _ in range(100):
        cost.note_read(100, 100 * read_s)
        cost.note_moved(1000, 1000 * move_s)
    return cost


def test_before_anything_was_measured_it_pays() -> None:
    """23 KB a token, as of the starter."""
    assert RestoreCost().pays(100, 100 * 23_000)


def test_what_was_measured_decides() -> None:
    """A token of 1 ms against 10,000 bytes of 0.05 or 0.2 microseconds each."""
    assert measured(1e-3, 5e-8).pays(100, 1_000_000)
    assert not measured(1e-3, 2e-7).pays(100, 1_000_000)


def test_one_slow_measurement_does_not_turn_it() -> None:
    """A busy moment, three times as slow as ever."""
    cost = measured(1e-3, 5e-8)
    cost.note_moved(1000, 1000 * 1.5e-7)
    assert cost.pays(100, 1_000_000)


def test_steps_of_a_few_tokens_and_empty_measurements_say_nothing() -> None:
    """They cost as much as a single token, or nothing can be divided by them."""
    cost = measured(1e-3, 2e-7)
    for _ in range(100):
        cost.note_read(4, 10.0)
        cost.note_read(100, 0.0)
        cost.note_moved(0, 1.0)
        cost.note_moved(1000, 0.0)
    assert not cost.pays(100, 1_000_000)

"""What a step costs by its number of tokens, learned from times that are made up."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.step_costs import StepCosts


def test_a_fresh_curve_is_a_straight_line() -> None:
    """Each token more costs half of the first one: a dear processor, so that only sure guesses are made to find out."""
    costs = StepCosts()
    assert [1.0, 1.5, 2.5, 8.5] == [pytest.approx(costs(n_tokens)) for n_tokens in (1, 2, 4, 16)]
    assert pytest.approx(1 + 0.5 * 127) == costs(128)


@pytest.mark.parametrize("true", [1.5, 3.5])
def test_the_first_measurements_count_most(true: float) -> None:
    """Three steps of four tokens are enough to know roughly what they cost, where 2.5 steps of one were believed."""
    costs = StepCosts()
    for _ in range(3):
        costs.see(1, 20.0)
        costs.see(4, 20.0 * true)
    assert pytest.approx(true, abs=0.35) == costs(4)


@pytest.mark.parametrize("slope", [0.0, 0.05, 0.9])
def test_the_form_is_learned(slope: float) -> None:
    """On a processor where tokens more are nearly free, and on one where they cost as much as the first."""
    costs = StepCosts()
    for _ in range(100):
        for n_tokens in (1, 5, 9, 17):
            costs.see(n_tokens, 20.0 * (1 + slope * (n_tokens - 1)))
    learned = [costs(n_tokens) for n_tokens in (1, 5, 9, 17)]
    assert [1 + slope * n_more for n_more in (0, 4, 8, 16)] == pytest.approx(learned, rel=0.15, abs=0.05)


def test_what_was_not_measured_follows_its_neighbours() -> None:
    """Steps of 8 tokens turn out to be cheap: those of 7 are believed to be so too, without one of them."""
    costs = StepCosts()
    for _ in range(100):
        costs.see(1, 20.0)
        costs.see(8, 24.0)
    assert costs(7) < 2.0


def test_a_longer_step_may_be_the_cheaper_one() -> None:
    """Kernels read tokens in groups of four: three take 2.5 steps of one, and four take 2.2."""
    costs = StepCosts()
    for _ in range(100):
        for n_tokens, times in ((1, 1.0), (3, 2.5), (4, 2.2)):
            costs.see(n_tokens, 20.0 * times)
    assert [2.5, 2.2] == [pytest.approx(costs(n_tokens), abs=0.1) for n_tokens in (3, 4)]


def test_a_curve_that_frightens_is_forgotten() -> None:
    """Where nothing longer is tried any more, the first belief comes back, and with it the next try; not at once."""
    costs = StepCosts()
    for _ in range(100):
        costs.see(1, 20.0)
        costs.see(2, 80.0)
    assert costs(2) > 3.0
    for _ in range(50):
        costs.fade()
    assert costs(2) > 2.5
    for _ in range(1000):
        costs.fade()
    assert pytest.approx(1.5, abs=0.05) == costs(2)


def test_what_is_cheap_is_not_forgotten() -> None:
    """Only fears are: a cheap step is tried again as soon as a guess is good enough for it."""
    costs = StepCosts()
    for _ in range(100):
        costs.see(1, 20.0)
        costs.see(2, 21.0)
    for _ in range(1000):
        costs.fade()
    assert costs(2) < 1.1


def test_a_machine_that_becomes_slower_changes_nothing() -> None:
    """All steps take five times as long from now on: the form stays."""
    costs = StepCosts()
    for height_ms in [20.0] * 50 + [100.0] * 50:
        costs.see(1, height_ms)
        costs.see(4, 1.5 * height_ms)
    assert pytest.approx(1.5, abs=0.2) == costs(4)


def test_single_mad_times_move_little() -> None:
    """One step in twenty takes fifty times as long, whatever it reads."""
    rng = random.Random(3)
    costs = StepCosts()
    for _ in range(400):
        for n_tokens in (1, 4):
            mad = 50.0 if rng.random() < 0.05 else 1.0
            costs.see(n_tokens, mad * 20.0 * (1 + 0.2 * (n_tokens - 1)))
    assert 1.3 < costs(4) < 2.2


@given(st.lists(st.tuples(st.integers(-1, 600), st.floats(-1.0, 1e9))))
def test_whatever_is_measured_the_curve_is_one(times: list[tuple[int, float]]) -> None:
    """It begins at 1 and never goes below, so a lying clock cannot break a decision."""
    costs = StepCosts()
    for n_tokens, step_ms in times:
        costs.see(n_tokens, step_ms)
    curve = [costs(n_tokens) for n_tokens in range(1, 100)]
    assert 1.0 == curve[0]
    assert 1.0 == min(curve)

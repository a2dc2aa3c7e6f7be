"""How far to guess ahead, from chances and costs that are made up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.draft_length import Chance, best_speed, share_out


def even(rate: float, n_tokens: int) -> Chance:
    """A draft whose guesses are all equally likely."""
    return Chance((rate,) * n_tokens)


def linear(slope: float) -> Callable[[int], float]:
    """Each token more costs the same."""
    return lambda n_tokens: 1.0 + slope * (n_tokens - 1)


@pytest.mark.parametrize(
    ("rate", "slope", "expected"),
    [
        (1.0, 0.9, 15),  # sure guesses are read whatever they cost, as long as it is less than a step
        (0.9, 0.0, 15),  # steps that cost the same are filled
        (0.9, 0.1, 11),  # 7.18 tokens in 2.1; with 10 it would be 6.86 in 2.0
        (0.7, 0.2, 3),  # 2.53 tokens in 1.6; with 4 it would be 2.77 in 1.8
        (0.5, 0.2, 1),  # 1.5 tokens in 1.2; with 2 it would be 1.75 in 1.4
        (0.5, 0.5, 0),  # 1.5 tokens in 1.5 is nothing gained
        (0.1, 0.2, 0),
        (0.0, 0.0, 0),
    ],
)
def test_one_draft_is_as_long_as_pays(rate: float, slope: float, expected: int) -> None:
    """The length that gives the most tokens for the time."""
    assert (expected,) == share_out([even(rate, 16)], 1, 100, linear(slope))


def test_a_curve_with_steps_is_looked_at_as_a_whole() -> None:
    """One guess more may not pay where three do: kernels read tokens in groups of four."""
    groups = {1: 1.0, 2: 2.0, 3: 2.0, 4: 2.0, 5: 3.0}
    assert (3,) == share_out([even(0.9, 4)], 1, 100, lambda n_tokens: groups[n_tokens])


def test_full_groups_are_preferred_to_what_is_hardly_faster() -> None:
    """With two guesses 3 % more tokens for the time than with three, three are read; with 8 % more two are."""
    assert (3,) == share_out([even(1.0, 3)], 1, 100, {1: 1.0, 2: 2.0, 3: 2.0, 4: 2.75}.__getitem__)
    assert (2,) == share_out([even(1.0, 3)], 1, 100, {1: 1.0, 2: 2.0, 3: 2.0, 4: 2.88}.__getitem__)


def test_full_groups_that_lose_are_not_read() -> None:
    """However full, a step has to be faster than one without guesses."""
    assert (0,) == share_out([even(1.0, 3)], 1, 100, {1: 1.0, 2: 2.5, 3: 3.5, 4: 4.02}.__getitem__)


def test_what_is_likely_goes_first() -> None:
    """Several sequences share one step; where there is little room the surest guesses get it."""
    chances = [even(0.9, 8), even(0.5, 8), even(0.1, 8)]
    assert (2, 0, 0) == share_out(chances, 3, 2, linear(0.0))
    assert (6, 1, 0) == share_out(chances, 3, 7, linear(0.0))
    assert (0, 0, 0) == share_out(chances, 3, 0, linear(0.0))


def test_a_draft_is_never_longer_than_it_is() -> None:
    """What was not guessed cannot be read, and without drafts there is nothing to share."""
    assert (2, 3) == share_out([even(1.0, 2), even(1.0, 3)], 2, 100, linear(0.0))
    assert () == share_out([], 2, 100, linear(0.0))


def test_a_draft_that_gets_surer_is_read_to_its_end() -> None:
    """Where tokens are read in groups of four, what follows on a first guess decides whether it pays."""
    groups = {1: 1.0, 2: 2.0, 3: 2.0, 4: 2.0}
    assert (0,) == share_out([even(0.5, 3)], 1, 100, lambda n_tokens: groups[n_tokens])
    assert (3,) == share_out([Chance((0.5, 0.95, 0.95))], 1, 100, lambda n_tokens: groups[n_tokens])


def test_the_price_of_a_guess_counts() -> None:
    """One that another model makes for most of a step is worth less than one that lies there."""
    free, dear = Chance((0.9,) * 4), Chance((0.9,) * 4, price=0.8)
    assert (4,) == share_out([free], 1, 100, linear(0.2))
    assert (0,) == share_out([dear], 1, 100, linear(0.2))
    assert 1.0 == best_speed(dear, linear(0.2))
    assert pytest.approx(4.0951 / 1.8) == best_speed(free, linear(0.2))


@given(
    st.lists(st.lists(st.floats(0, 1), max_size=3), max_size=3),
    st.integers(0, 5),
    st.lists(st.floats(0.01, 1), min_size=16, max_size=16),
)
def test_no_other_sharing_is_clearly_faster(drafts: list[list[float]], room: int, more: list[float]) -> None:
    """By more than what full groups count; compared with every way to share the room, on any cost curve that rises."""
    costs = list(itertools.accumulate(more, initial=1.0))
    chances = [Chance(rates) for rates in drafts]
    n_sequences = max(1, len(chances))

    def speed(lengths: tuple[int, ...]) -> float:
        expected = sum(
            math.prod(chance.rates[:place])
            for chance, length in zip(chances, lengths, strict=True)
            for place in range(1, length + 1)
        )
        return (n_sequences + expected) / costs[n_sequences + sum(lengths)]

    every = itertools.product(*[range(len(chance.rates) + 1) for chance in chances])
    best = max(speed(lengths) for lengths in every if sum(lengths) <= room)
    found = share_out(chances, n_sequences, room, lambda n_tokens: costs[n_tokens])
    assert sum(found) <= room
    assert best <= 1.05 * speed(found) + 1e-9

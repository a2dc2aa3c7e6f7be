"""How far to guess ahead, from chances and costs that are made up."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.draft_length import Acceptance, Chance, share_out


def linear(slope: float) -> Callable[[int], float]:
    """Each token more costs the same."""
    return lambda n_tokens: 1.0 + slope * (n_tokens - 1)


@pytest.mark.parametrize(
    ("rate", "slope", "expected"),
    [
        (1.0, 0.9, 16),  # sure guesses are read whatever they cost, as long as it is less than a step
        (0.9, 0.0, 16),  # steps that cost the same are filled
        (0.9, 0.1, 10),  # 6.86 tokens in 2.0; with 11 it would be 7.18 in 2.1
        (0.5, 0.2, 1),  # 1.5 tokens in 1.2; with 2 it would be 1.75 in 1.4
        (0.5, 0.5, 0),  # 1.5 tokens in 1.5 is nothing gained
        (0.1, 0.2, 0),
        (0.0, 0.0, 0),
    ],
)
def test_one_draft_is_as_long_as_pays(rate: float, slope: float, expected: int) -> None:
    """The length that gives the most tokens for the time."""
    assert (expected,) == share_out([Chance(rate, 16)], 1, 100, linear(slope))


def test_a_curve_with_steps_is_looked_at_as_a_whole() -> None:
    """One guess more may not pay where three do: kernels read tokens in groups of four."""
    groups = {1: 1.0, 2: 2.0, 3: 2.0, 4: 2.0, 5: 3.0}
    assert (3,) == share_out([Chance(0.9, 4)], 1, 100, lambda n_tokens: groups[n_tokens])


def test_what_is_likely_goes_first() -> None:
    """Several sequences share one step; where there is little room the surest guesses get it."""
    chances = [Chance(0.9, 8), Chance(0.5, 8), Chance(0.1, 8)]
    assert (2, 0, 0) == share_out(chances, 3, 2, linear(0.0))
    assert (6, 1, 0) == share_out(chances, 3, 7, linear(0.0))
    assert (0, 0, 0) == share_out(chances, 3, 0, linear(0.0))


def test_a_draft_is_never_longer_than_it_is() -> None:
    """What was not guessed cannot be read, and without drafts there is nothing to share."""
    assert (2, 3) == share_out([Chance(1.0, 2), Chance(1.0, 3)], 2, 100, linear(0.0))
    assert () == share_out([], 2, 100, linear(0.0))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), max_size=3),
    st.integers(0, 5),
    st.lists(st.floats(0.01, 1), min_size=16, max_size=16),
)
def test_no_other_sharing_is_faster(drafts: list[tuple[float, int]], room: int, more: list[float]) -> None:
    """Compared with every way to share the room, on any cost curve that rises."""
    costs = list(itertools.accumulate(more, initial=1.0))
    chances = [Chance(rate, n_tokens) for rate, n_tokens in drafts]
    n_sequences = max(1, len(chances))

    def speed(lengths: tuple[int, ...]) -> float:
        expected = sum(
            chance.rate**place
            for chance, length in zip(chances, lengths, strict=True)
            for place in range(1, length + 1)
        )
        return (n_sequences + expected) / costs[n_sequences + sum(lengths)]

    every = itertools.product(*[range(chance.n_tokens + 1) for chance in chances])
    best = max(speed(lengths) for lengths in every if sum(lengths) <= room)
    found = share_out(chances, n_sequences, room, lambda n_tokens: costs[n_tokens])
    assert sum(found) <= room
    assert best == pytest.approx(speed(found))


def test_the_rate_is_the_prior_until_something_is_seen() -> None:
    """Then it moves towards what is seen: eight right of eight and one wrong of one are evidence."""
    acceptance = Acceptance()
    assert 0.5 == acceptance.rate(0.5)
    acceptance.see(8, 8)
    assert pytest.approx(0.9) == acceptance.rate(0.5)
    acceptance.see(4, 0)
    assert pytest.approx((7.2 + 1.0) / (7.2 + 1.0 + 2.0)) == acceptance.rate(0.5)


def test_guesses_behind_a_wrong_one_say_nothing() -> None:
    """Of ten guesses of which the third was wrong, two were right and one was wrong."""
    acceptance = Acceptance()
    acceptance.see(10, 2)
    assert (2.0, 1.0) == (acceptance.n_right, acceptance.n_wrong)


def test_drafts_that_fail_stop_and_are_tried_again_later() -> None:
    """Where no guess is ever right, one in fifteen opportunities or fewer is spent on finding out."""
    acceptance = Acceptance()
    tried = []
    for turn in range(600):
        (n_tokens,) = share_out([Chance(acceptance.rate(0.5), 8)], 1, 100, linear(0.2))
        if n_tokens:
            tried.append(turn)
            acceptance.see(n_tokens, 0)
        else:
            acceptance.fade()
    assert tried[:3] == [0, 1, 2]
    assert 5 <= len(tried) <= 40
    assert tried[-1] > 500


def test_drafts_that_become_right_are_found_out() -> None:
    """A text that begins to repeat itself is drafted in full after some tries."""
    acceptance = Acceptance()
    for _ in range(50):
        acceptance.see(4, 0)
    lengths = []
    for _ in range(200):
        (n_tokens,) = share_out([Chance(acceptance.rate(0.5), 8)], 1, 100, linear(0.2))
        lengths.append(n_tokens)
        if n_tokens:
            acceptance.see(n_tokens, n_tokens)
        else:
            acceptance.fade()
    assert 0 == lengths[0]
    assert 8 == lengths[-1]

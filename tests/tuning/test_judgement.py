"""What is kept and what is not, from times and likelihoods that are made up."""

from __future__ import annotations

import random

import pytest

from codeassistd.tuning.judgement import judge_loss, judge_speed


def keys(ratio: float, n_pairs: int, noise: float = 0.2) -> list[tuple[float, float]]:
    """Times without a change and with it, each off by chance."""
    rng = random.Random(5)
    return [(100 * rng.lognormvariate(0, noise), 100 * ratio * rng.lognormvariate(0, noise)) for _ in range(n_pairs)]


def test_a_clear_gain_is_decided_by_thirty_keys() -> None:
    """And not by 29, however clear they are."""
    early = judge_speed(keys(0.6, 29))
    assert (False, False) == (early.is_decided, early.is_better)
    assert early.words.startswith("too few keys asked the model under both: 0.")
    speed = judge_speed(keys(0.6, 30))
    assert (True, True) == (speed.is_decided, speed.is_better)
    assert speed.words.startswith("faster: 0.")


def test_a_clear_loss_is_decided_as_soon() -> None:
    """Nobody waits for 72 keys of something slow."""
    speed = judge_speed(keys(1.5, 30))
    assert (True, False) == (speed.is_decided, speed.is_better)
    assert speed.words.startswith("not faster beyond noise: 1.")


@pytest.mark.parametrize("ratio", [1.0, 0.99])
def test_what_cannot_be_told_from_noise_is_not_kept(ratio: float) -> None:
    """After 72 keys it is given up."""
    assert not judge_speed(keys(ratio, 71)).is_decided
    speed = judge_speed(keys(ratio, 72))
    assert (True, False) == (speed.is_decided, speed.is_better)


def test_keys_that_never_asked_the_model_decide_nothing() -> None:
    """Without a pair there is no ratio, and it ends all the same."""
    assert (None, False) == (judge_speed([]).ratio, judge_speed([]).is_decided)
    assert "no key had to ask" in judge_speed([(0.0, 0.0)] * 72).words
    assert judge_speed([(0.0, 0.0)] * 72).is_decided


@pytest.mark.parametrize(
    ("change", "is_too_much"), [(0.0, False), (0.02, False), (-0.3, False), (0.04, True), (0.2, True)]
)
def test_a_loss_beyond_the_bound_is_too_much(change: float, is_too_much: bool) -> None:  # noqa: FBT001 - a case
    """In nats a token; a gain is none."""
    untuned = [1.0, 2.0, 0.5, 3.0] * 8
    loss = judge_loss(untuned, [nats + change for nats in untuned])
    assert pytest.approx(change, abs=1e-9) == loss.change
    assert is_too_much == loss.is_too_much


def test_where_little_is_known_nothing_is_risked() -> None:
    """On average nothing is lost, but the interval holds more than the bound; and nothing known is too little."""
    untuned = [1.0] * 8
    loss = judge_loss(untuned, [1.5, 0.5] * 4)
    assert (pytest.approx(0.0), True) == (loss.change, loss.is_too_much)
    assert judge_loss([], []).is_too_much

"""Choosing a token from scores."""

from __future__ import annotations

import numpy as np
import pytest

from codeassistd.engine.sampling import Sample, Sampler
from codeassistd.errors import DecodeError


def row(*scores: float) -> np.ndarray:
    return np.array(scores, dtype=np.float32)


def sample(scores: np.ndarray, temperature: float, generator: np.random.Generator) -> Sample:
    return Sampler(len(scores)).choose(scores, temperature, generator)


def draws(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_greedy_takes_the_best_with_its_probability_and_margin() -> None:
    """The logarithm is of the softmax over all scores, the margin is to the runner-up."""
    chosen = sample(row(1.0, 3.0, 2.5), 0.0, draws())
    assert 1 == chosen.id
    assert pytest.approx(np.log(np.exp(3.0) / (np.exp(1.0) + np.exp(3.0) + np.exp(2.5)))) == chosen.logprob
    assert pytest.approx(0.5) == chosen.margin


@pytest.mark.parametrize("best", [0, 3])
def test_the_runner_up_is_found_at_both_ends(best: int) -> None:
    """The chosen token may be the first or the last of the vocabulary."""
    scores = [0.0, 1.0, 1.5, 0.5]
    scores[best] = 4.0
    assert pytest.approx(2.5) == sample(row(*scores), 0.0, draws()).margin


def test_the_first_of_equals_wins() -> None:
    """Greedy is the same on every run, with a margin of 0."""
    chosen = sample(row(2.0, 2.0), 0.0, draws())
    assert (0, 0.0) == (chosen.id, chosen.margin)


def test_large_scores_do_not_overflow() -> None:
    """Probabilities are computed relative to the best score."""
    assert pytest.approx(0.0) == sample(row(10_000.0, 0.0), 0.0, draws()).logprob


def test_a_temperature_draws_by_probability() -> None:
    """Over many draws each token comes as often as the softmax says; a seed repeats them."""
    scores = row(0.0, np.log(3.0), -np.inf)
    generator = draws(1)
    n_second = sum(sample(scores, 1.0, generator).id for _ in range(4000))
    assert 3000 == pytest.approx(n_second, abs=120)
    assert [sample(scores, 1.0, draws(7)).id] * 5 == [sample(scores, 1.0, draws(7)).id for _ in range(5)]


def test_a_drawn_token_reports_the_models_own_probability() -> None:
    """The temperature changes the choice, not what the model thinks of it; a lesser token's margin is negative."""
    scores = row(0.0, 0.1)
    chosen = {sample(scores, 100.0, draws(seed)).id: sample(scores, 100.0, draws(seed)) for seed in range(30)}
    assert pytest.approx(-0.1, abs=1e-6) == chosen[0].margin
    assert pytest.approx(np.log(1 / (1 + np.exp(0.1)))) == chosen[0].logprob


def test_scores_that_are_not_numbers_fail_the_step() -> None:
    """A damaged model ends in an error instead of in token 0 for ever."""
    with pytest.raises(DecodeError, match="not numbers"):
        sample(row(1.0, np.nan, 2.0), 0.0, draws())

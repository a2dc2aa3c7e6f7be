"""What is kept and what is not, from times and likelihoods that are made up."""

from __future__ import annotations

import random

import pytest

from codeassistd.tuning.judgement import Pairs, judge_loss, judge_trial, judge_whole

_N_MACHINES = 40


def stretches(ratio: float, n_stretches: int, n_keys: int = 5, noise: float = 0.1) -> list[Pairs]:
    """Times without a change and with it, each off by chance."""
    rng = random.Random(5)
    return [
        [(100 * rng.lognormvariate(0, noise), 100 * ratio * rng.lognormvariate(0, noise)) for _ in range(n_keys)]
        for _ in range(n_stretches)
    ]


def unruly(ratio: float, seed: int) -> list[Pairs]:
    """Enough for both readings, on a machine where each twelfth key takes three times as long or far longer.

    Keys differ by what they ask for, stretches have luck of their own, and some have no key that asks the model.
    """
    rng = random.Random(seed)

    def ms(usual_ms: float) -> float:
        stall = 1 + 2 * rng.paretovariate(1.1) if rng.random() < 0.08 else 1.0
        return usual_ms * rng.lognormvariate(0, 0.2) * stall

    def stretch() -> Pairs:
        luck = rng.lognormvariate(0, 0.1)
        usual = [rng.lognormvariate(5, 0.7) for _ in range(rng.choice((0, 4, 6, 8, 10, 14)))]
        return [(ms(usual_ms), ratio * luck * ms(usual_ms)) for usual_ms in usual]

    return [stretch() for _ in range(48)]


def test_two_that_are_the_same_are_never_told_apart() -> None:
    """On forty unruly machines none is kept, though some look faster at first: the second reading finds them out."""
    trials = [judge_trial(unruly(1.0, seed)) for seed in range(_N_MACHINES)]
    assert [True] * _N_MACHINES == [trial.is_decided for trial in trials]
    assert 0 == sum(trial.is_better for trial in trials)
    assert 0 < sum("typed again after" in trial.words for trial in trials)


def test_a_fifth_of_the_time_is_found_on_machines_as_unruly() -> None:
    """On nine of ten of them, and what is told is near the truth, for no luck has chosen it."""
    trials = [judge_trial(unruly(0.8, seed)) for seed in range(_N_MACHINES)]
    found = [trial.ratio.value for trial in trials if trial.is_better and trial.ratio is not None]
    assert 0.9 * _N_MACHINES <= len(found)
    assert 0.77 < sum(found) / len(found) < 0.81


def test_what_is_slower_is_never_kept() -> None:
    """However unruly the machine."""
    assert not any(judge_trial(unruly(1.2, seed)).is_better for seed in range(_N_MACHINES))


def test_a_clear_gain_takes_eight_stretches_and_sixteen_more() -> None:
    """The first reading may end early, the second may not, and only that one is told."""
    gain = stretches(0.6, 24)
    assert (False, None) == (judge_trial(gain[:7]).is_decided, judge_trial(gain[:7]).ratio)
    early = judge_trial(gain[:23])
    assert (False, False) == (early.is_decided, early.is_better)
    assert early.words.endswith("40 keys), and being typed again")
    trial = judge_trial(gain)
    assert (True, True, [pair for stretch in gain[8:] for pair in stretch]) == (
        trial.is_decided,
        trial.is_better,
        trial.pairs,
    )
    assert trial.words.startswith("faster: 0.59 of the time")
    assert trial.words.endswith("80 keys)")


def test_what_does_not_last_is_not_kept() -> None:
    """The first eight stretches were lucky; the reason has both readings."""
    trial = judge_trial([*stretches(0.8, 8), *stretches(1.0, 16)])
    assert (True, False) == (trial.is_decided, trial.is_better)
    assert trial.ratio is not None
    assert pytest.approx(1.0, abs=0.05) == trial.ratio.value
    assert "typed again after 0.8" in trial.words


def test_a_clear_loss_is_decided_by_eight_stretches() -> None:
    """Nobody waits for sixteen of something slow."""
    trial = judge_trial(stretches(1.5, 8))
    assert (True, False) == (trial.is_decided, trial.is_better)
    assert trial.words.startswith("not faster beyond noise: 1.5")


def test_what_cannot_be_told_from_noise_is_not_kept() -> None:
    """Faster and slower by turns: it is given up after sixteen stretches."""
    swinging = [pairs for both in zip(stretches(0.8, 8), stretches(1.15, 8), strict=True) for pairs in both]
    assert not judge_trial(swinging[:15]).is_decided
    trial = judge_trial(swinging)
    assert (True, False) == (trial.is_decided, trial.is_better)


def test_what_is_no_faster_after_eight_stretches_is_given_up() -> None:
    """Slower and faster by turns, a little slower on the whole: nobody waits for the next eight."""
    swinging = [pairs for both in zip(stretches(1.3, 4), stretches(0.8, 4), strict=True) for pairs in both]
    trial = judge_trial(swinging)
    assert (True, False) == (trial.is_decided, trial.is_better)
    assert trial.words.startswith("not faster beyond noise: 1.0")


def test_one_endless_key_decides_nothing() -> None:
    """A key of a minute among forty, for or against the change, leaves its stretch where it is."""
    for key in ((60_000.0, 80.0), (80.0, 60_000.0)):
        gain = stretches(0.8, 24)
        gain[10] = [key, *gain[10][1:]]
        assert judge_trial(gain).is_better


def test_stretches_without_a_key_that_asked_decide_nothing() -> None:
    """After 24 of them it ends all the same; none of what was typed is taken for a pair."""
    assert (None, False) == (judge_trial([]).ratio, judge_trial([]).is_decided)
    trial = judge_trial([[], [(0.0, 0.0)]] * 12)
    assert (True, False) == (trial.is_decided, trial.is_better)
    assert "not faster beyond noise: no key asked the model under both" == trial.words
    few = judge_trial([*stretches(0.5, 7), *[[]] * 17])
    assert (True, "not faster beyond noise: too few keys asked the model under both") == (few.is_decided, few.words)


def test_the_whole_is_judged_by_sixteen_stretches() -> None:
    """Faster or not, and not before."""
    assert not judge_whole(stretches(0.6, 15)).is_decided
    faster, same = judge_whole(stretches(0.6, 16)), judge_whole(stretches(1.0, 16))
    assert [(True, True), (True, False)] == [(trial.is_decided, trial.is_better) for trial in (faster, same)]
    assert faster.words.startswith("faster: 0.61 of the time")
    assert same.words.startswith("not faster beyond noise: 1.02 of the time")


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

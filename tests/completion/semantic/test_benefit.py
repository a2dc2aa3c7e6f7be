"""Proposals end by themselves where they cost more than they spare."""

from __future__ import annotations

import pytest

from codeassistd.completion.semantic.benefit import Benefit, Speeds


def after(*gains_ms: float) -> Benefit:
    benefit = Benefit()
    for gain_ms in gains_ms:
        benefit = benefit.judged(gain_ms)
    return benefit


@pytest.mark.parametrize(
    ("n_proposed", "n_confirmed", "gain_ms"),
    [(10, 10, 180.0), (10, 1, 0.0), (10, 0, -20.0), (0, 0, 0.0)],
)
def test_what_a_proposal_gains(n_proposed: int, n_confirmed: int, gain_ms: float) -> None:
    """A step less for each token that came true, and the reading of all of them."""
    assert gain_ms == Speeds(write_ms=20.0, read_ms=2.0).gain_ms(n_proposed, n_confirmed)


@pytest.mark.parametrize("speeds", [Speeds(0.0, 2.0), Speeds(20.0, 0.0)])
def test_what_was_not_measured_is_not_known(speeds: Speeds) -> None:
    """One of the two is not enough."""
    assert not speeds.are_known


def test_nothing_is_concluded_from_few() -> None:
    """Seven that were wrong may be chance; eight are enough."""
    assert after(*[-30.0] * 7).pays
    assert not after(*[-30.0] * 8).pays


def test_one_that_came_true_pays_for_some_that_did_not() -> None:
    """What counts is the mean."""
    assert after(180.0, *[-20.0] * 8).pays
    assert not after(180.0, *[-20.0] * 10).pays


def test_while_they_do_not_pay_one_in_sixteen_is_made() -> None:
    """So that what was believed can be found wrong."""
    benefit = after(*[-30.0] * 8)
    made = []
    for number in range(40):
        if benefit.is_due:
            made.append(number)
            benefit = benefit.judged(-30.0)
        else:
            benefit = benefit.withheld()
    assert [15, 31] == made


def test_what_has_changed_is_found_out() -> None:
    """The newest ones count: they begin again after a while of coming true."""
    benefit = after(*[-20.0] * 100)
    n_needed = 0
    while not benefit.pays:
        benefit, n_needed = benefit.judged(180.0), n_needed + 1
    assert 4 == n_needed

"""Two settings are compared case by case."""

from __future__ import annotations

import pytest

from codeassistd.evals.paired import Paired, paired, vs_rows


def test_the_change_is_the_mean_of_the_cases_differences() -> None:
    """Theirs less ours, with an interval that holds it."""
    found = paired([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0])

    assert Paired(4, 1.5, 2.5, 1.0, 1.0, 1.0) == found
    assert found.is_seen
    assert "more" == found.verdict


def test_an_interval_that_holds_zero_says_nothing() -> None:
    """A difference of one case in eight is chance."""
    found = paired([0.0] * 8, [1.0, *[0.0] * 7])

    assert 0.125 == found.change
    assert (0.0, 0.375) == (found.low, found.high)
    assert "no difference seen" == found.verdict


def test_a_loss_that_most_cases_share_is_seen() -> None:
    """Six of eight fail under the other setting, and none gains."""
    found = paired([1.0] * 8, [0.0] * 6 + [1.0] * 2)

    assert -0.75 == found.change
    assert (-1.0, -0.375) == (found.low, found.high)
    assert "less" == found.verdict


def test_the_same_values_give_the_same_interval() -> None:
    """The draws have a seed of their own."""
    ours, theirs = [0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.4, 0.6, 0.7, 0.1]

    assert paired(ours, theirs) == paired(ours, theirs)


def test_cases_without_a_figure_under_one_setting_are_left_out() -> None:
    """Nothing was shown there, so there is nothing to compare."""
    assert 1 == paired([None, 1.0, None], [1.0, 1.0, None]).n_pairs
    assert Paired(0, None, None, None, None, None) == paired([None], [1.0])
    assert "no difference seen" == paired([], []).verdict


def test_both_need_the_same_cases() -> None:
    """Pairs of different cases would say anything."""
    with pytest.raises(ValueError, match="argument 2"):
        paired([1.0], [1.0, 2.0])


def test_rows_tell_both_sides_and_the_verdict() -> None:
    """One for each figure, as the JSON has them."""
    assert [
        {
            "table": "vs",
            "kind": "a",
            "figure": "pass_rate",
            "n_pairs": 2,
            "ours": 1.0,
            "theirs": 0.0,
            "change": -1.0,
            "low": -1.0,
            "high": -1.0,
            "verdict": "less",
        }
    ] == list(vs_rows({"pass_rate": ([1.0, 1.0], [0.0, 0.0])}, kind="a"))

"""How likely guesses are believed to be, after drafts that are made up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.engine.acceptance import Beliefs, Luck, prior
from codeassistd.engine.draft_length import Chance, share_out
from codeassistd.engine.drafter import Draft


def draft(n_tokens: int, strength: int = 2, drafter: str = "lookup", strongest: int = 12) -> Draft:
    return Draft(tuple(range(n_tokens)), drafter, strength, strongest)


def best_length(rates: tuple[float, ...], slope: float) -> int:
    """How much of a draft pays where each token more costs `slope` of a step."""
    (n_tokens,) = share_out([Chance(rates)], 1, 100, lambda n: 1.0 + slope * (n - 1))
    return n_tokens


def test_at_first_longer_matches_are_believed_more() -> None:
    """And behind a right guess the match is longer by it, up to the strongest."""
    assert [0.25, 0.54, 0.72, 0.87] == [round(prior(strength), 2) for strength in (1, 2, 4, 12)]
    assert pytest.approx((prior(3), prior(4), prior(4))) == Beliefs().rates(draft(3, 3, strongest=4), Luck())
    assert pytest.approx((prior(4), prior(4))) == Beliefs().rates(draft(2, 4, "model", 0), Luck())


def test_guesses_on_equal_grounds_are_judged_together() -> None:
    """What was seen of matches of two tokens says nothing of those of five, nor of another drafter."""
    beliefs, fresh = Beliefs(), Luck()
    for _ in range(50):
        beliefs.judge(draft(1, 2), Luck(), 1, 0)
    assert beliefs.rates(draft(1, 2), fresh)[0] < 0.05
    assert prior(5) == beliefs.rates(draft(1, 5), fresh)[0]
    assert prior(2) == beliefs.rates(draft(1, 2, "other"), fresh)[0]


def test_each_token_of_a_draft_counts_for_its_own_grounds() -> None:
    """Of eight guesses the third was wrong: two were right, one was wrong, and of five nothing is known."""
    beliefs = Beliefs()
    beliefs.judge(draft(8, 2), Luck(), 8, 2)
    rates = beliefs.rates(draft(8, 2), Luck())
    expected = [(1 + 3 * prior(2)) / 4, (1 + 3 * prior(3)) / 4, 3 * prior(4) / 4, prior(5), prior(6)]
    assert pytest.approx(expected) == list(rates[:5])


def test_what_was_not_read_is_not_judged() -> None:
    """A draft of eight of which two were read, both right, says nothing of the third."""
    beliefs = Beliefs()
    beliefs.judge(draft(8, 2), Luck(), 2, 2)
    assert prior(4) == beliefs.rates(draft(8, 2), Luck())[2]


def test_a_sequence_has_its_own_luck() -> None:
    """Where copies go wrong its guesses are believed less than those of another one on the same grounds, and back."""
    beliefs, unlucky, lucky = Beliefs(), Luck(), Luck()
    for _ in range(20):
        beliefs.judge(draft(1, 8), unlucky, 1, 0)
        beliefs.judge(draft(1, 8), lucky, 1, 1)
    mine, others = beliefs.rates(draft(1, 8), unlucky)[0], beliefs.rates(draft(1, 8), lucky)[0]
    assert (unlucky.factor > 1.2, lucky.factor < 0.6) == (True, True)
    assert mine < 0.4 < others
    for _ in range(1000):
        unlucky.fade()
    assert pytest.approx(1.0, abs=0.01) == unlucky.factor


def test_each_kind_of_work_is_judged_by_its_own() -> None:
    """Copied code has shown 200 right guesses: a line believes that at first, and soon its own eight wrong ones."""
    beliefs, copies, lines = Beliefs(), Luck("copies"), Luck("lines")
    for _ in range(200):
        beliefs.judge(draft(1, 4), copies, 1, 1)
    assert pytest.approx((6 + 3 * prior(4)) / 9) == beliefs.rates(draft(1, 4), lines)[0]
    for _ in range(8):
        beliefs.judge(draft(1, 4), Luck("lines"), 1, 0)
    assert beliefs.rates(draft(1, 4), lines)[0] < 0.5
    assert beliefs.rates(draft(1, 4), Luck("copies"))[0] > 0.95


def test_few_guesses_of_other_work_count_as_few() -> None:
    """Two right ones are two, beside the three that the first belief is worth."""
    beliefs = Beliefs()
    beliefs.judge(draft(2, 4, strongest=4), Luck("copies"), 2, 2)
    assert pytest.approx((1.98 + 3 * prior(4)) / 4.98) == beliefs.rates(draft(1, 4), Luck("lines"))[0]


def test_drafts_that_fail_stop_and_are_tried_again_later() -> None:
    """Where no guess is ever right, one in fifteen opportunities or fewer is spent on finding out."""
    beliefs, luck, offered = Beliefs(), Luck(), draft(8, 3)
    tried = []
    for turn in range(600):
        n_tokens = best_length(beliefs.rates(offered, luck), 0.2)
        if n_tokens:
            tried.append(turn)
            beliefs.judge(offered, luck, n_tokens, 0)
        else:
            beliefs.fade(offered, luck)
    assert [0, 1, 2] == tried[:3]
    assert 5 <= len(tried) <= 40
    assert tried[-1] > 500


def test_drafts_that_become_right_are_found_out() -> None:
    """A text that begins to repeat itself is soon drafted in full: as far as its tokens fill groups."""
    beliefs, luck, offered = Beliefs(), Luck(), draft(8, 3)
    for _ in range(50):
        beliefs.judge(offered, luck, 4, 0)
    lengths = []
    for _ in range(300):
        n_tokens = best_length(beliefs.rates(offered, luck), 0.2)
        lengths.append(n_tokens)
        if n_tokens:
            beliefs.judge(offered, luck, n_tokens, n_tokens)
        else:
            beliefs.fade(offered, luck)
    assert (0, 7) == (lengths[0], lengths[-1])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 16), st.integers(1, 16), st.integers(0, 16)), max_size=60))
def test_any_past_gives_chances(drafts: list[tuple[int, int, int]]) -> None:
    """Between 0 and 1, whatever was seen."""
    beliefs, luck = Beliefs(), Luck()
    for strength, n_drafted, n_right in drafts:
        beliefs.judge(draft(n_drafted, strength), luck, n_drafted, min(n_right, n_drafted))
    assert all(0.0 <= rate <= 1.0 for rate in beliefs.rates(draft(16, 1), luck))

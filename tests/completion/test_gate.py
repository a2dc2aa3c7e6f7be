"""The gate: one score, one dial."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.completion.evidence import Evidence, Situation
from codeassistd.completion.gate import THRESHOLDS, judge, judge_begun
from codeassistd.completion.types import Trigger
from codeassistd.completion.weights import CERTAINTIES, CONSTANTS, FEATURES, SPREADS, features
from codeassistd.config import CompletionSettings
from codeassistd.engine.request import Token
from codeassistd.metrics.spans import Outcome
from tests.support.evidence import USUAL, place_at, tokens

PLACE = place_at("total = |")
DIAL = ("low", "medium", "high", "always")


def settings(eagerness: str) -> CompletionSettings:
    return CompletionSettings.model_validate({"eagerness": eagerness})


def test_a_sure_text_is_shown_and_a_doubtful_one_is_not() -> None:
    """At each setting of the dial but `always`."""
    for eagerness in DIAL:
        sure = judge(tokens("a", " +", " b", logprob=-0.01, margin=6.0), "a + b", PLACE, settings(eagerness))
        wild = judge(tokens("a", " +", " b", logprob=-4.0, margin=0.1), "a + b", PLACE, settings(eagerness))
        assert None is sure.silence
        assert (eagerness == "always") == (wild.silence is None)


def test_the_reason_names_the_score_and_the_dial() -> None:
    """A user can see what to turn."""
    judgement = judge(tokens("a", logprob=-5.0, margin=0.0), "a", PLACE, settings("low"))

    assert judgement.silence is not None
    assert Outcome.SILENT is judgement.silence.outcome
    assert judgement.silence.reason == (
        f"not sure enough: {judgement.score:.2f}, and 0.40 is asked for (completion.eagerness is low)"
    )


@pytest.mark.parametrize(
    ("source", "number", "asked"),
    [
        ("LIMIT = |", "40", 0.4),
        ("LIMIT = |", "1_000;", 0.4),
        ("LIMIT = |", "0.25", 0.4),
        # It stands in sight, counts something, or is half typed.
        ("FIRST = 40\nLIMIT = |", "40", 0.15),
        ("LIMIT = |  # 40, as agreed", "40", 0.15),
        ("FIRST = 140\nLIMIT = |", "40", 0.4),
        ("LIMIT = |", "1", 0.15),
        ("LIMIT = 1|", "00", 0.15),
        ("LIMIT = |", "n * 40", 0.15),
    ],
)
def test_a_number_out_of_nowhere_must_be_certain(source: str, number: str, asked: float) -> None:
    """Nothing but the model's own certainty speaks for it."""
    judgement = judge(tokens(number, logprob=-1.5, margin=1.0), number, place_at(source), settings("medium"))

    assert asked == judgement.threshold
    assert None is judge(tokens(number, logprob=-1.5), number, place_at(source), settings("always")).silence


def test_who_asks_by_hand_gets_what_there_is() -> None:
    """The score is told all the same."""
    judgement = judge(tokens("a", logprob=-8.0, margin=0.0), "a", PLACE, settings("low"), Trigger.INVOKED)

    assert None is judgement.silence
    assert judgement.score < THRESHOLDS["high"]


def test_the_dial_is_in_order() -> None:
    """More eager asks for less."""
    asked = [THRESHOLDS[eagerness] for eagerness in DIAL]

    assert sorted(asked, reverse=True) == asked
    assert 0.0 == asked[-1]


def test_every_number_has_a_weight_and_a_spread() -> None:
    """And certainty never speaks against a text."""
    assert len(FEATURES) == len(CONSTANTS.values) == len(SPREADS) == len(features(USUAL))
    assert [] == [name for name in CERTAINTIES if CONSTANTS.values[FEATURES.index(name)] < 0]


certainties = st.floats(-20, 0, allow_nan=False)
some_tokens = st.lists(
    st.builds(Token, st.just(0), st.sampled_from(["a", " b", "(", "\n", "  "]), certainties, st.floats(0, 20)),
    min_size=1,
    max_size=12,
)


@given(some_tokens, st.sampled_from(["total = |", "def f():|", "# so |", "x.|"]))
def test_more_eager_never_shows_less(raw: list[Token], source: str) -> None:
    """Whatever the model wrote, and wherever."""
    shown = "".join(token.text for token in raw)
    place = place_at(source)
    verdicts = [judge(raw, shown, place, settings(eagerness)).silence is None for eagerness in DIAL]

    assert sorted(verdicts) == verdicts


@given(some_tokens, st.integers(0, 11), st.floats(0, 5), st.floats(0, 5))
def test_more_certainty_never_lowers_the_score(raw: list[Token], place: int, sure: float, far: float) -> None:
    """A likelier token, or one that is further from its runner-up, can only speak for the text."""
    shown = "".join(token.text for token in raw)
    surer = list(raw)
    token = raw[place % len(raw)]
    surer[place % len(raw)] = replace(token, logprob=min(0.0, token.logprob + sure), margin=token.margin + far)

    before, after = judge(raw, shown, PLACE, settings("medium")), judge(surer, shown, PLACE, settings("medium"))
    assert after.score >= before.score - 1e-12


@pytest.mark.parametrize("situation", Situation)
def test_the_score_is_a_probability(situation: Situation) -> None:
    """Also at the ends."""
    worst = Evidence(situation, -8.0, -8.0, -8.0, 0.0, 4000, 100)
    best = Evidence(situation, 0.0, 0.0, 0.0, 8.0, 1, 1)

    assert 0.0 < CONSTANTS.score(worst) < THRESHOLDS["high"]
    assert THRESHOLDS["low"] < CONSTANTS.score(best) < 1.0


def test_a_beginning_that_nothing_can_save_is_kept_back_at_once() -> None:
    """With the best score that it could still have, rounded down so that it does not read like the one asked for."""
    begun = judge_begun(tokens("a", logprob=-8.0, margin=0.0), "a", PLACE, settings("medium"), max_lines=12)

    assert begun.silence is not None
    assert begun.score < begun.threshold == 0.15
    assert begun.silence.reason == (
        f"not sure enough from the start: {int(100 * begun.score) / 100:.2f} at most, and 0.15 is asked for "
        "(completion.eagerness is medium)"
    )


@pytest.mark.parametrize("begun", ["", "  ", "\n\n", "```", "```python\n", "\n```"])
def test_what_may_be_taken_off_again_is_no_beginning(begun: str) -> None:
    """Blanks and fences are no part of what is shown, so a doubt about them says nothing yet."""
    doubtful = tokens(begun, logprob=-8.0, margin=0.0)

    assert None is judge_begun(doubtful, begun, PLACE, settings("low"), max_lines=12).silence


@pytest.mark.parametrize(("eagerness", "trigger"), [("always", Trigger.AUTOMATIC), ("low", Trigger.INVOKED)])
def test_a_beginning_is_never_kept_back_where_nothing_is_asked_of_the_whole(eagerness: str, trigger: Trigger) -> None:
    """The dial at its end, and who asks by hand."""
    wild = tokens("a", logprob=-8.0, margin=0.0)

    assert None is judge_begun(wild, "a", PLACE, settings(eagerness), trigger, max_lines=12).silence

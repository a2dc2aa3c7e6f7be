"""How two models are compared on one text."""

from __future__ import annotations

import math

import pytest

from codeassistd.evals.long.agreement import Agreement, agreement, figures
from codeassistd.evals.long.probe import Kind, Probe
from codeassistd.evals.long.trace import Trace

OPEN = Probe(Kind.LONG, "open", "def f(a):", "\n    return a", is_settled=False)
SETTLED = Probe(Kind.STRINGS, "settled", "def f(a):", "\n    return a + 1", is_settled=True)


def trace(
    best: tuple[int, ...] = (1, 2),
    gaps: tuple[float, ...] = (1.0, 1.0),
    nll: tuple[float, ...] = (1.0, 3.0),
    written: tuple[int, ...] = (7, 8, 9),
    said: str = "\n    return a + 1\n",
) -> Trace:
    return Trace(best, gaps, nll, written, said)


def test_a_model_agrees_with_itself() -> None:
    """Everywhere, and its likelihood does not change."""
    expected = Agreement(2, 2, 2, 2, 3, 3, nll=2.0, nll_change=0.0, is_sound=True, is_right=True)

    assert expected == agreement(SETTLED, trace(), trace())


def test_a_choice_between_near_equals_is_counted_apart() -> None:
    """Half a logit between the two best turns by rounding; who is clear is told by the reference."""
    reference = trace(best=(1, 2, 3, 4), gaps=(0.49, 0.5, 9.0, 0.1), nll=(1.0,) * 4)
    other = trace(best=(0, 0, 3, 4), gaps=(9.0,) * 4, nll=(1.5,) * 4)
    compared = agreement(OPEN, reference, other)

    assert (4, 2) == (compared.n_tokens, compared.n_same)
    assert (2, 1) == (compared.n_clear, compared.n_clear_same)
    assert pytest.approx(0.5) == compared.nll_change


def test_written_text_agrees_up_to_the_first_difference() -> None:
    """What follows it is another text, even where tokens are alike."""
    compared = agreement(OPEN, trace(written=(1, 2, 3, 4)), trace(written=(1, 2, 9, 4)))

    assert (4, 2) == (compared.n_written, compared.n_written_same)
    assert 1 == agreement(OPEN, trace(written=(1, 2)), trace(written=(1,))).n_written_same


def test_traces_of_two_texts_cannot_be_compared() -> None:
    """That would be a slip of the caller."""
    with pytest.raises(ValueError, match="argument 2"):
        agreement(OPEN, trace(), trace(best=(1,)))


@pytest.mark.parametrize(
    ("said", "sound", "right"),
    [
        ("\n    return a + 1\nx", True, True),
        ("\n    return (a+1)  # why", True, True),
        ("\n    return a + 2\n", True, False),
        ("\n    return a +\n", False, False),
        ("", False, False),
    ],
)
def test_a_settled_text_is_right_where_it_means_the_same(said: str, *, sound: bool, right: bool) -> None:
    """The tree decides, not the letters; what is written beyond the truth does not count."""
    compared = agreement(SETTLED, trace(), trace(said=said))

    assert (sound, right) == (compared.is_sound, compared.is_right)


@pytest.mark.parametrize(
    ("said", "sound"),
    [
        ("\n    return a\n", True),
        ("\n    return g(\n        a,\n        b", True),
        ("\n    if a:\n        x", True),
        ("\n    return a a\n", False),
        ("\n  return a\n b\n", False),
        ("\n    return", False),
    ],
)
def test_an_open_text_may_stop_in_the_middle_of_a_statement(said: str, *, sound: bool) -> None:
    """Whole lines count; at least one of them has to be there."""
    compared = agreement(OPEN, trace(), trace(said=said))

    assert sound == compared.is_sound
    assert compared.is_right is None


def test_figures_are_over_all_texts() -> None:
    """Shares count tokens, the change of the likelihood counts texts, and what is open does not pass or fail."""
    one = Agreement(10, 9, 8, 8, 4, 2, nll=math.log(2), nll_change=0.1, is_sound=True, is_right=True)
    two = Agreement(30, 15, 12, 6, 6, 0, nll=math.log(2), nll_change=0.3, is_sound=False, is_right=None)

    assert {
        "n_probes": 2,
        "n_tokens": 40,
        "agreement_share": 0.6,
        "clear_agreement_share": 0.7,
        "written_agreement_share": 0.2,
        "perplexity": pytest.approx(2.0),
        "nll_change": pytest.approx(0.2),
        "compile_rate": 0.5,
        "pass_rate": 1.0,
    } == figures([one, two])


def test_figures_of_nothing_are_none() -> None:
    """And not zero."""
    assert {"n_probes": 0, "n_tokens": 0} == {name: value for name, value in figures([]).items() if value is not None}

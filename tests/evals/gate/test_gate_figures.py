"""The gate's judge: which texts are right, how files are split, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from codeassistd.completion.weights import CERTAINTIES, CONSTANTS, FEATURES, Weights
from codeassistd.evals.fit.run import Asked
from codeassistd.evals.fit.spots import Kind, Spot
from codeassistd.evals.gate.figures import best_weights, dial_row, gate_values, ranking
from codeassistd.evals.gate.pairs import Pair, halves, is_right, pairs_of
from tests.support.evidence import USUAL

#: Scores a text by its least certain token alone, with even odds at a logarithm of -1.
BY_MIN = Weights(tuple(1.0 if name in {"always", "min_logprob"} else 0.0 for name in FEATURES))


def good(min_logprob: float, path: str = "a.py") -> Pair:
    return Pair(Path(path), replace(USUAL, min_logprob=min_logprob), right=True)


def bad(min_logprob: float) -> Pair:
    return Pair(Path("a.py"), replace(USUAL, min_logprob=min_logprob), right=False)


@pytest.mark.parametrize(
    ("inserted", "truth", "right"),
    [
        ("a + b", "a + b\nprint()", True),
        ("a+b", "a  +  b", True),
        ("\n    return x\n    more", "\n    return x\n    other", True),
        ("foo", "foobar", True),
        ("foobar", "foo", False),
        ("a + c", "a + b", False),
        ("", "a", False),
        ("  \n ", "a", False),
    ],
)
def test_a_text_is_right_if_its_first_line_comes_next(inserted: str, truth: str, right: bool) -> None:  # noqa: FBT001
    """Blanks aside, and whatever follows."""
    assert right is is_right(inserted, truth)


def test_pairs_come_from_what_was_suggested() -> None:
    """The truth is what was cut out and what follows; where nothing came there is no pair."""
    spot = Spot(Path("a.py"), "python", Kind.MIDDLE, 1, "x = ", "\ny = 2\n", "1 + 2")
    asked = [
        Asked(spot, "1 + 2", None, "", (), USUAL.as_table()),
        Asked(spot, "3", None, "", (), USUAL.as_table()),
        Asked(spot, None, None, "empty", ()),
    ]

    assert [Pair(Path("a.py"), USUAL, right=True), Pair(Path("a.py"), USUAL, right=False)] == pairs_of(asked)


def test_a_file_is_in_one_half_only() -> None:
    """So that nothing is judged by what it was fitted to."""
    pairs = [good(-1, f"{name}.py") for name in "abcabc"]
    first, second = halves(pairs)

    assert ({"a.py", "c.py"}, {"b.py"}) == tuple({str(one.path) for one in half} for half in (first, second))
    assert 6 == len(first) + len(second)


def test_a_setting_of_the_dial_in_numbers() -> None:
    """Shown, right among the shown, and shown among the right."""
    pairs = [good(-0.5), bad(-1.0), good(-6.0), bad(-6.0)]

    assert {
        "eagerness": "low",
        "n_texts": 4,
        "show_share": 0.5,
        "precision_share": 0.5,
        "recall_share": 0.5,
    } == dial_row(pairs, BY_MIN, "low")
    assert (1.0, 1.0) == tuple(dial_row(pairs, BY_MIN, "always")[name] for name in ("show_share", "recall_share"))
    assert None is dial_row([good(-6.0)], BY_MIN, "low")["precision_share"]


def test_how_well_it_tells_right_from_wrong() -> None:
    """One pair in order, one a tie."""
    assert 0.75 == ranking([good(-1), bad(-2), bad(-1)], BY_MIN)
    assert None is ranking([good(-1)], BY_MIN)


def test_fitting_finds_what_matters() -> None:
    """Here only the least certain token does, and no certainty is made to speak against a text."""
    chance = Random(3)
    pairs = []
    for _ in range(600):
        evidence = replace(USUAL, mean_logprob=chance.uniform(-1, 0), min_logprob=chance.uniform(-8, 0))
        pairs.append(Pair(Path("a.py"), evidence, chance.random() < BY_MIN.score(evidence)))
    weights = dict(zip(FEATURES, best_weights(pairs).values, strict=True))

    assert 0.7 < weights["min_logprob"] < 1.3
    assert [] == [name for name in CERTAINTIES if weights[name] < 0]
    with pytest.raises(ValueError, match="nothing to fit"):
        best_weights([])


def test_the_constants_rank_by_certainty() -> None:
    """A text that the model doubted scores lower than one that it did not."""
    assert 1.0 == ranking([good(-0.5), bad(-5.0)], CONSTANTS)


def test_a_setting_of_the_dial_is_compared_cursor_by_cursor() -> None:
    """What it shows, and what of that is right; a cursor without a text shows nothing."""
    spot = Spot(Path("a.py"), "python", Kind.MIDDLE, 1, "x = ", "\ny = 2\n", "1 + 2")
    sure, unsure = replace(USUAL, min_logprob=0.0), replace(USUAL, min_logprob=-9.0)
    asked = [
        Asked(spot, "1 + 2", None, "", (), sure.as_table()),
        Asked(spot, "3", None, "", (), sure.as_table()),
        Asked(spot, "1 + 2", None, "", (), unsure.as_table()),
        Asked(spot, None, None, "empty", ()),
    ]

    assert {
        "show_share": [1.0, 1.0, 0.0, 0.0],
        "right_share": [1.0, 0.0, 0.0, 0.0],
        "precision_share": [1.0, 0.0, None, None],
    } == gate_values(asked, BY_MIN, "medium")
    assert [1.0, 1.0, 1.0, 0.0] == gate_values(asked, BY_MIN, "always")["show_share"]

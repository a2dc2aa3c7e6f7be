"""What the gate learns from one user, and how far it may go."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from codeassistd.completion.evidence import Situation
from codeassistd.completion.history.learn import MIN_EACH, MIN_ROWS, learn
from codeassistd.completion.history.record import Fate, Record
from codeassistd.completion.weights import CERTAINTIES, CONSTANTS, FEATURES, SPREADS, features
from tests.support.evidence import USUAL, record


def history(n_rows: int, seed: int = 1) -> list[Record]:
    """A user who takes what comes in argument lists and nothing in comments, whatever the model thought of it."""
    chance = Random(seed)
    rows = []
    for number in range(n_rows):
        situation = chance.choice([Situation.ARGUMENTS, Situation.COMMENT])
        evidence = replace(
            USUAL, situation=situation, mean_logprob=chance.uniform(-2, 0), min_logprob=chance.uniform(-4, -2)
        )
        likes = situation is Situation.ARGUMENTS
        fate = Fate.ACCEPTED if likes == (chance.random() < 0.9) else Fate.DISMISSED
        rows.append(record(f"{number:05}", fate, evidence))
    return rows


def weight(name: str, values: tuple[float, ...]) -> float:
    return values[FEATURES.index(name)]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        history(MIN_ROWS - 1),
        [record(str(number), Fate.DISMISSED) for number in range(5 * MIN_ROWS)],
        [record(str(number), Fate.SHOWN) for number in range(5 * MIN_ROWS)],
    ],
)
def test_with_too_little_the_constants_stay(rows: list[Record]) -> None:
    """Too few, of one kind only, or nothing decided; the reason says what is missing."""
    gate = learn(rows)

    assert ("constants", CONSTANTS) == (gate.name, gate.weights)
    assert f"learns from {MIN_ROWS} on, with {MIN_EACH} of each kind" in gate.why


def test_it_learns_what_the_user_takes() -> None:
    """Argument lists gain on comments, in the order of the user's own choices."""
    rows = history(400)
    gate = learn(rows)

    assert ("learned", "from 400 suggestions", 400) == (gate.name, gate.why, gate.n_rows)
    gained = {name: weight(name, gate.weights.values) - weight(name, CONSTANTS.values) for name in FEATURES}
    assert gained["arguments"] > 0.2
    assert gained["comment"] < -0.2


def test_it_learns_which_and_not_how_many() -> None:
    """The mean of the scores before they become shares is that of the constants: the dial alone says how many."""
    rows = history(400)
    numbers = np.array([features(row.evidence) for row in rows])

    assert pytest.approx(float((numbers @ np.array(CONSTANTS.values)).mean())) == float(
        (numbers @ np.array(learn(rows).weights.values)).mean()
    )


def test_it_cannot_go_far() -> None:
    """However long the history: each weight stays near its constant, and certainty never speaks against a text."""
    rows = [
        record(f"{number:05}", Fate.ACCEPTED if number % 2 else Fate.DISMISSED, evidence)
        for number in range(2000)
        for evidence in [
            replace(USUAL, mean_logprob=-3.0 if number % 2 else 0.0, min_margin=0.0 if number % 2 else 8.0)
        ]
    ]
    values = learn(rows).weights.values

    assert "learned" == learn(rows).name
    for place, name in enumerate(FEATURES[1:], 1):
        assert abs(values[place] - CONSTANTS.values[place]) <= 0.75 / SPREADS[place] + 1e-9
        assert name not in CERTAINTIES or values[place] >= 0.0


def test_the_order_of_the_rows_does_not_matter() -> None:
    """The same history gives the same gate."""
    rows = history(300)

    assert learn(rows) == learn(rows[::-1])


@pytest.mark.parametrize(
    ("row", "was_right"),
    [
        (record(fate=Fate.SHOWN), None),
        (record(fate=Fate.ACCEPTED), True),
        (record(fate=Fate.ACCEPTED, kept_30s=1.0, kept_2min=0.1), False),
        (record(fate=Fate.ACCEPTED, kept_30s=0.2), False),
        (record(fate=Fate.PARTLY, kept_10min=0.9), True),
        (record(fate=Fate.TYPED), True),
        (record(fate=Fate.DISMISSED), False),
    ],
)
def test_what_counts_as_right(row: Record, was_right: bool | None) -> None:  # noqa: FBT001 - a column
    """Taken and still there; the newest look counts."""
    assert was_right is row.was_right

from __future__ import annotations

import pytest

from codeassistd.metrics.goals import Goal, at_least, at_most, judged


@pytest.mark.parametrize(
    ("goal", "value", "expected"),
    [
        (at_most(40), 39.9, True),
        (at_most(40), 40, True),
        (at_most(40), 40.1, False),
        (at_least(0.97), 0.98, True),
        (at_least(0.97), 0.97, True),
        (at_least(0.97), 0.96, False),
    ],
)
def test_the_limit_itself_is_reached(goal: Goal, value: float, *, expected: bool) -> None:
    """As the words 'at most' and 'at least' say."""
    assert expected is goal.is_reached(value)


def test_a_goal_is_written_as_people_write_it() -> None:
    """With its direction."""
    assert ["<= 40", ">= 0.97"] == [str(at_most(40)), str(at_least(0.97))]


def test_a_figure_without_value_is_not_judged() -> None:
    """It neither reached nor missed its goal."""
    goals = {"a": at_most(1), "b": at_most(1), "c": at_least(1), "d": at_least(1)}

    assert {"a": True, "c": False} == judged({"a": 1, "b": None, "c": 0.5, "e": 3}, goals)

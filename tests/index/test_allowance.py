"""How long a worker may be in one file."""

from __future__ import annotations

import os

import pytest

from codeassistd.index.allowance import Allowance, processor_time_s
from codeassistd.index.parsed import WALL_FACTOR


def test_the_first_look_is_when_all_the_time_could_be_its_own() -> None:
    """No earlier, since nothing can use the processor faster than time goes by."""
    assert 103.0 == Allowance(3.0, begun_s=100.0, spent_s=7.0).due_s


@pytest.mark.parametrize(
    ("now_s", "processor_s", "due_s"),
    [
        # On a busy machine it has had a third of the time: two seconds are left.
        (103.0, 8.0, 105.0),
        # It has not had its turn at all.
        (103.0, 7.0, 106.0),
        # So little is left that a look would come at once.
        (103.0, 9.99, 103.05),
    ],
)
def test_the_next_look_is_when_the_rest_could_be_used(now_s: float, processor_s: float, due_s: float) -> None:
    """What other programs use does not count."""
    allowance = Allowance(3.0, begun_s=100.0, spent_s=7.0)

    assert not allowance.is_used_up(now_s, processor_s)
    assert pytest.approx(due_s) == allowance.due_s


@pytest.mark.parametrize(
    ("now_s", "processor_s"),
    [
        (103.0, 10.0),
        # Nobody knows what it used, so the clock alone counts.
        (103.0, None),
        # It waits for something that never comes.
        (100.0 + 3.0 * WALL_FACTOR, 7.0),
    ],
)
def test_it_is_used_up_by_the_processor_and_long_after_that_by_the_clock(
    now_s: float, processor_s: float | None
) -> None:
    """A hang in a loop ends soon, one that waits ends, too."""
    assert Allowance(3.0, begun_s=100.0, spent_s=7.0).is_used_up(now_s, processor_s)


def test_processor_times_are_those_of_the_process() -> None:
    """They grow with its work, and of a process that is not there nothing is known."""
    before = processor_time_s(os.getpid())
    assert before is not None
    while (os.times().user + os.times().system) - before < 0.1:
        sum(range(1000))

    after = processor_time_s(os.getpid())
    assert after is not None
    assert after >= before + 0.09
    assert processor_time_s(2**30) is None

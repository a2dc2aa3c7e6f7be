"""When to wait for the next key before work starts. Pure: all times are written out."""

from __future__ import annotations

import pytest

from codeassistd.completion.pause import LONGEST_PAUSE_S, Rhythm, pause_s

FIRST_S = 0.12


def rhythm(*times_s: float, is_overtaken: bool = True) -> Rhythm:
    found = Rhythm()
    for time_s in times_s:
        found = found.pressed(time_s)
    return found.ended(is_overtaken=is_overtaken)


def test_who_types_faster_than_the_model_begins_is_waited_for() -> None:
    """A bit longer than the usual time between two keys."""
    assert 0.065 == pytest.approx(pause_s(rhythm(0.0, 0.05, 0.1), FIRST_S))


@pytest.mark.parametrize(
    ("times_s", "first_s", "is_overtaken", "why"),
    [
        (
            (0.0, 0.05, 0.1),
            FIRST_S,
            False,
            "the last answer came before this key",
        ),
        ((0.0, 0.05, 0.1), None, True, "nothing is known about the model"),
        ((0.0, 0.05), FIRST_S, True, "one interval is no rhythm"),
        ((0.0, 0.15, 0.3), FIRST_S, True, "the model has said something before the next key"),
        ((0.0, 0.05, 0.1), 0.06, True, "waiting would take longer than the model's first word"),
        ((0.0, 0.14, 0.28), 2.0, True, "that would be a pause that is felt"),
        ((0.0, 0.05, 0.1, 5.0), FIRST_S, True, "a rest ends the rhythm"),
    ],
)
def test_nobody_else_is(times_s: tuple[float, ...], first_s: float | None, is_overtaken: bool, why: str) -> None:  # noqa: FBT001 - a column of the table
    """Each for its own reason."""
    assert 0.0 == pause_s(rhythm(*times_s, is_overtaken=is_overtaken), first_s), why


def test_one_slow_key_does_not_change_the_rhythm() -> None:
    """The usual interval is the median of the newest five."""
    assert 0.05 == pytest.approx(rhythm(0.0, 0.05, 0.1, 0.9, 0.95, 1.0).interval_s or 0.0)


@pytest.mark.parametrize("first_s", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("interval_s", [0.001, 0.01, 0.03, 0.08, 0.11, 0.3])
def test_a_pause_is_never_fixed_and_never_long(interval_s: float, first_s: float) -> None:
    """It outlasts the interval, or there is none."""
    pause = pause_s(rhythm(*(interval_s * n for n in range(6))), first_s)
    assert pause == 0.0 or interval_s < pause <= min(LONGEST_PAUSE_S, first_s)

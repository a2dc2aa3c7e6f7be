"""The length of prompts follows the measured speed, in steps that keep them from moving."""

from __future__ import annotations

import pytest

from codeassistd.context.reading import SteadySpeed, default_cold_ms, default_key_ms, key_tokens, readable_tokens


@pytest.mark.parametrize(
    ("tokens_per_s", "cold_ms", "expected"),
    [
        (0.0, 1200, 512),  # nothing measured yet
        (500.0, 1200, 576),
        (5000.0, 500, 2496),
        (40.0, 1200, 256),  # a very slow machine
    ],
)
def test_a_prompt_is_read_within_the_time(tokens_per_s: float, cold_ms: float, expected: int) -> None:
    """Speed times time, in steps of 64, with a minimum below which a prompt says nothing."""
    assert expected == readable_tokens(tokens_per_s, cold_ms)


def test_noise_does_not_move_the_speed_in_use() -> None:
    """Prompts of one place keep their start while readings differ as they do on any machine."""
    speed = SteadySpeed()

    assert [500.0, 500.0, 500.0, 500.0] == [speed.follow(measured) for measured in (500.0, 640.0, 360.0, 0.0)]


def test_a_real_change_is_followed() -> None:
    """Another model or a charger that was pulled changes the speed for good."""
    speed = SteadySpeed()

    assert [0.0, 500.0, 200.0, 200.0, 500.0] == [
        speed.follow(measured) for measured in (0.0, 500.0, 200.0, 210.0, 500.0)
    ]


def test_a_gpu_gets_less_time() -> None:
    """The goals of the two kinds of machine differ."""
    assert (1200, 500) == (default_cold_ms(0), default_cold_ms(32))


@pytest.mark.parametrize(("tokens_per_s", "key_ms", "expected"), [(0, 60, 16), (300, 60, 16), (5000, 30, 144)])
def test_what_a_letter_may_have_read_again(tokens_per_s: float, key_ms: float, expected: int) -> None:
    """As much as is read within the time, in whole steps; a line's worth on the slowest machine."""
    assert expected == key_tokens(tokens_per_s, key_ms)
    assert (60, 30) == (default_key_ms(0), default_key_ms(32))

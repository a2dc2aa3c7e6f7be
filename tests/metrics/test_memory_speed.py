"""How fast memory is read, by a clock that the test moves."""

from __future__ import annotations

from itertools import count

import pytest

from codeassistd.metrics.memory_speed import memory_bytes_per_s
from codeassistd.testing.fake_clock import FakeClock

BLOCK = 64 << 20


class Ticking(FakeClock):
    """Each look at it finds it so much later; the second round is the fastest."""

    def __init__(self, *rounds_s: float) -> None:
        super().__init__()
        self._rounds_s = rounds_s
        self._looks = count()
        self._at_s = 0.0

    def monotonic_s(self) -> float:
        look = next(self._looks)
        if look % 2:
            self._at_s += self._rounds_s[look // 2]
        return self._at_s


@pytest.mark.slow
def test_the_fastest_round_counts_and_each_thread_reads_its_own_block() -> None:
    """Other programs only make a round slower."""
    assert 2 * BLOCK / 0.25 == memory_bytes_per_s(2, Ticking(1.0, 0.25, 0.5, 2.0))


@pytest.mark.slow
def test_a_clock_that_stands_says_nothing() -> None:
    """Rather than an endless speed."""
    assert 0.0 == memory_bytes_per_s(1, FakeClock())

"""The number of threads, on made-up machines."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.threads import ThreadGovernor

Machine = Callable[[int], float]
"""Milliseconds of a step by its number of threads."""


def quiet(n_threads: int) -> float:
    """A machine that is ours: 8 threads take 10 ms."""
    return {1: 60.0, 2: 32.0, 4: 18.0, 8: 10.0}[n_threads]


def taken(n_threads: int) -> float:
    """A machine whose cores are taken: the more threads, the more often one of them has no core."""
    return {1: 70.0, 2: 90.0, 4: 200.0, 8: 900.0}[n_threads]


def half_taken(n_threads: int) -> float:
    """A machine with some cores taken: four threads still find room."""
    return {1: 60.0, 2: 33.0, 4: 19.0, 8: 80.0}[n_threads]


def slow(n_threads: int) -> float:
    """A machine that has become slow as a whole, by heat perhaps."""
    return 4 * quiet(n_threads)


def run(governor: ThreadGovernor, machine: Machine, n_steps: int) -> list[int]:
    """The number of threads of each step."""
    numbers = []
    for _ in range(n_steps):
        numbers.append(governor.n_threads)
        governor.observe("decode 1", machine(governor.n_threads))
    return numbers


def test_a_quiet_machine_gives_all_threads() -> None:
    """Only now and then, and ever more rarely, three steps show that fewer are no better."""
    numbers = run(ThreadGovernor(8), quiet, 2000)
    assert {8, 4} == set(numbers)
    starts = [step for step in range(1, 2000) if (numbers[step - 1], numbers[step]) == (8, 4)]
    assert [69, 128 + 3, 256 + 3, 512 + 3] == [b - a for a, b in pairwise([0, *starts])]
    assert 3 * len(starts) == numbers.count(4)


def test_a_load_that_was_there_from_the_start_is_found_out() -> None:
    """All that was ever seen is slow; the first trial shows that fewer threads are faster, and what comes next more."""
    governor = ThreadGovernor(2)
    run(governor, {1: 22.0, 2: 90.0}.__getitem__, 80)
    assert 1 == governor.n_threads
    run(governor, {1: 17.0, 2: 10.0}.__getitem__, 80)
    assert 2 == governor.n_threads


def test_taken_cores_bring_the_threads_down_within_some_steps() -> None:
    """Half as many after each trial, three steps decide."""
    governor = ThreadGovernor(8)
    run(governor, quiet, 20)
    assert [8] * 3 + [4] * 3 + [2] * 3 + [1] * 50 == run(governor, taken, 59)


def test_a_number_that_is_fast_enough_is_kept() -> None:
    """Where four threads are no longer slow, two are not tried."""
    governor = ThreadGovernor(8)
    run(governor, quiet, 20)
    assert [8] * 3 + [4] * 20 == run(governor, half_taken, 23)


def test_when_the_load_is_gone_all_threads_come_back() -> None:
    """After the wait, one trial after another up to all."""
    governor = ThreadGovernor(8)
    run(governor, quiet, 20)
    run(governor, taken, 30)
    assert 1 == governor.n_threads
    numbers = run(governor, quiet, 64 + 3 * 3 + 1)
    assert 8 == numbers[-1]
    assert sorted(numbers) == numbers
    assert [8] * 40 == run(governor, quiet, 40)


def test_trials_get_rare_while_the_load_stays() -> None:
    """More threads are tried after 64 steps, then 128 and so on, so the trials cost next to nothing."""
    governor = ThreadGovernor(2)
    run(governor, {1: 17.0, 2: 10.0}.__getitem__, 20)
    numbers = run(governor, {1: 22.0, 2: 90.0}.__getitem__, 2000)
    starts = [step for step in range(1, 2000) if (numbers[step - 1], numbers[step]) == (1, 2)]
    assert [6 + 64, 128 + 3, 256 + 3, 512 + 3] == [b - a for a, b in pairwise([0, *starts])][:4]
    assert 3 + 3 * len(starts) == numbers.count(2)


def test_a_machine_that_is_slow_as_a_whole_keeps_all_threads() -> None:
    """Fewer do not help there, so what is slow becomes what is normal."""
    governor = ThreadGovernor(8)
    run(governor, quiet, 20)
    assert [8] * 3 + [4] * 3 + [8] * 60 == run(governor, slow, 66)


def test_single_slow_steps_change_nothing() -> None:
    """Two of five may be as slow as they like."""
    governor = ThreadGovernor(8)
    run(governor, quiet, 20)
    for step in range(40):
        assert 8 == governor.n_threads
        governor.observe("decode 1", 5000.0 if step % 5 in {0, 1} else 10.0)


def test_kinds_of_steps_are_compared_with_their_like() -> None:
    """A long step among short ones is no sign of load."""
    governor = ThreadGovernor(4)
    for step in range(60):
        assert 4 == governor.n_threads
        governor.observe("read 512" if step % 2 else "decode 1", 900.0 if step % 2 else 10.0)


def test_one_thread_is_never_less() -> None:
    """With one there is nothing to choose."""
    assert [1] * 100 == run(ThreadGovernor(1), lambda _n: 1e6, 100)


def test_a_clock_that_stands_changes_nothing() -> None:
    """Steps of no time at all are no reason for anything."""
    assert [4] * 100 == run(ThreadGovernor(4), lambda _n: 0.0, 100)


@given(st.integers(1, 9), st.lists(st.floats(0, 1e9), max_size=300))
def test_any_times_leave_the_number_in_bounds(n_most: int, times: list[float]) -> None:
    """Whatever is measured, a step has between one and all threads."""
    governor = ThreadGovernor(n_most)
    for ms in times:
        governor.observe("decode 1", ms)
        assert 1 <= governor.n_threads <= n_most

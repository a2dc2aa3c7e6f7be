"""What steps cost, learned from made-up machines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.pace import CHUNK_FLOOR, FIRST_CHUNK, Load, Pace


def learned(*steps: tuple[Load, float], goal_ms: float = 60.0, n_batch: int = 512) -> Pace:
    pace = Pace(goal_ms, n_batch)
    for load, ms in steps:
        pace.record(load, ms)
    return pace


def rows(n_rows: int, depth: float = 0.0) -> Load:
    return Load(n_rows=n_rows, row_depth=depth)


def read(n_read: int, depth: float = 0.0) -> Load:
    return Load(n_read=n_read, read_depth=depth)


def settle(pace: Pace, machine: dict[str, float], n_steps: int = 30) -> int:
    """Read prompts in the pieces that it says, on a machine with a fixed and a running cost; answers the last piece."""
    n_tokens = 0
    for _ in range(n_steps):
        n_tokens = pace.chunk(Load())
        pace.record(read(n_tokens), machine["fixed_ms"] + machine["token_ms"] * n_tokens)
    return n_tokens


def test_before_anything_is_known() -> None:
    """The first piece is a safe one, nothing has a cost and nothing is free."""
    pace = Pace(60.0, 512)
    assert (FIRST_CHUNK, None, 0.0) == (pace.chunk(rows(1)), pace.step_ms(rows(1)), pace.prefill_tokens_per_s)
    assert not pace.is_free(rows(1), rows(2))
    assert {} == pace.medians()


@pytest.mark.parametrize(
    ("machine", "goal_ms", "expected"),
    [
        # A processor of two cores: 12 ms and 2.7 ms a token.
        ({"fixed_ms": 12.0, "token_ms": 2.7}, 60.0, 16),
        # One three times as fast.
        ({"fixed_ms": 4.0, "token_ms": 0.9}, 60.0, 48),
        # A GPU: the whole batch costs hardly more than a token.
        ({"fixed_ms": 8.0, "token_ms": 0.02}, 30.0, 512),
        # A GPU with a large model.
        ({"fixed_ms": 15.0, "token_ms": 0.1}, 30.0, 128),
        # One that cannot keep the goal at all.
        ({"fixed_ms": 100.0, "token_ms": 20.0}, 60.0, CHUNK_FLOOR),
    ],
)
def test_the_piece_finds_the_goal(machine: dict[str, float], goal_ms: float, expected: int) -> None:
    """From the first piece on it grows or shrinks to a multiple of 16 that just keeps the goal."""
    assert expected == settle(Pace(goal_ms, 512), machine)


def test_a_prompt_that_is_alone_is_read_in_steps_of_eight_goals() -> None:
    """Before anything is known 128 tokens; then what fits into 480 ms, and never more than the backend takes."""
    assert 128 == Pace(60.0, 512).long_chunk(0.0)
    assert 480 == learned((read(64), 64.0)).long_chunk(0.0)
    assert 512 == learned((read(64), 6.4)).long_chunk(0.0)


def test_the_streams_of_a_step_take_from_the_goal() -> None:
    """The more streams go on in a step, the shorter the piece beside them."""
    pace = learned((rows(1), 10.0), (rows(4), 30.0), (read(64), 64.0))
    assert [48, 48, 16] == [pace.chunk(rows(n)) for n in (0, 1, 4)]


def test_one_mad_step_changes_nothing() -> None:
    """A step that took two seconds because something else ran is one of fifteen."""
    pace = learned(*[(read(32), 40.0)] * 3, (read(32), 2000.0))
    assert (48, 40.0) == (pace.chunk(Load()), pace.step_ms(read(32)))


def test_a_machine_that_gets_slower_is_noticed() -> None:
    """After eight slow steps the slow time is the median."""
    pace = learned(*[(rows(1), 10.0)] * 50, *[(rows(1), 40.0)] * 8)
    assert 40.0 == pace.step_ms(rows(1))


def test_the_times_of_both_kinds_add_up() -> None:
    """What a mixed step takes beyond its rows is the time of its piece."""
    pace = learned((rows(2), 15.0), (Load(n_rows=2, n_read=32), 55.0))
    assert (40.0, 55.0) == (pace.step_ms(read(32)), pace.step_ms(Load(n_rows=2, n_read=32)))


def test_a_mixed_step_teaches_nothing_while_its_rows_are_unknown() -> None:
    """Its time cannot be shared out then."""
    assert None is learned((Load(n_rows=2, n_read=32), 55.0)).step_ms(read(32))


def test_sizes_between_the_measured_ones_lie_on_a_line() -> None:
    """Below the smallest its whole cost is assumed, beyond the largest its cost per token."""
    pace = learned((read(16), 20.0), (read(64), 68.0))
    assert [20.0, 20.0, 36.0, 68.0, 136.0] == [pace.step_ms(read(n)) for n in (1, 16, 32, 64, 128)]


def test_more_tokens_never_cost_less() -> None:
    """Noise that says otherwise is smoothed away."""
    assert 30.0 == learned((read(16), 30.0), (read(64), 25.0)).step_ms(read(64))


def test_depth_makes_steps_dearer() -> None:
    """Each depth has its own medians; where none was measured the nearest serves."""
    pace = learned((rows(1, depth=10), 12.0), (rows(1, depth=2000), 24.0))
    assert [12.0, 12.0, 24.0, 24.0] == [pace.step_ms(rows(1, depth)) for depth in (0, 400, 1500, 9000)]


def test_a_row_is_free_where_it_costs_next_to_nothing() -> None:
    """On a GPU a second stream is free, on a processor it is not."""
    gpu = learned((rows(1), 8.0), (rows(2), 8.3))
    processor = learned((rows(1), 12.0), (rows(2), 15.0))
    assert (True, False) == (gpu.is_free(rows(1), rows(2)), processor.is_free(rows(1), rows(2)))


def test_nothing_is_free_beyond_the_goal() -> None:
    """A step that is too long already gets nothing more."""
    pace = learned((rows(1), 100.0), (rows(2), 101.0))
    assert not pace.is_free(rows(1), rows(2))


def test_the_reading_speed_is_that_of_whole_pieces() -> None:
    """Steps with streams in them, and the short ends of prompts, do not count."""
    pace = learned((rows(1), 10.0), (read(3), 15.0), (Load(n_rows=1, n_read=64), 300.0))
    assert 0.0 == pace.prefill_tokens_per_s
    pace.record(read(100), 200.0)
    assert 500.0 == pace.prefill_tokens_per_s
    pace.record(read(100), 100.0)
    assert 550.0 == pace.prefill_tokens_per_s


def test_medians_are_told_by_class() -> None:
    """What a step did, in words."""
    pace = learned((rows(1), 10.0), (rows(3), 20.0), (read(32), 40.0), (Load(n_rows=1, n_read=8), 33.0))
    assert {"decode 1": 10.0, "decode 3-4": 20.0, "mixed": 33.0, "prefill 17-32": 40.0} == pace.medians()


def test_a_clock_that_stands_sets_no_limit() -> None:
    """Where steps take no time the whole batch is read."""
    pace = learned((rows(1), 0.0), (read(32), 0.0), n_batch=200)
    assert (200, 0.0) == (pace.chunk(rows(1)), pace.prefill_tokens_per_s)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 600), st.floats(0, 5000), st.floats(0, 1e7)).filter(
            lambda step: step[0] + step[1] > 0
        ),
        max_size=40,
    ),
    st.integers(16, 512),
)
def test_any_times_give_a_piece_in_bounds(steps: list[tuple[int, int, float, float]], n_batch: int) -> None:
    """However mad the measurements, a piece has between 16 tokens and the batch, and a cost is a number."""
    pace = learned(*[(Load(r, n, depth, depth), ms) for r, n, depth, ms in steps], n_batch=n_batch)
    for load in (Load(), rows(1), rows(9, 300), Load(3, 40, 100, 2000)):
        assert CHUNK_FLOOR <= pace.chunk(load) <= n_batch
        cost = pace.step_ms(load)
        assert cost is None or cost >= 0
        pace.is_free(rows(1), load)

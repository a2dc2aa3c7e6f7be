"""The engine's sums: what a step adds, and what is made of them."""

from __future__ import annotations

from codeassistd.metrics.work import STEP_SIZES, Work, WorkCount


def by_size(**classes: int) -> tuple[int, ...]:
    """Steps by class, each named by its upper end; `over` is the class without one."""
    ends = [f"to_{size}" for size in STEP_SIZES] + ["over"]
    return tuple(classes.get(end, 0) for end in ends)


def test_a_step_adds_to_every_sum() -> None:
    """Rows count what each looks back at, a prompt once a step; time goes to reading as soon as anything is read."""
    count = WorkCount()
    count.step(n_rows=2, n_read=0, row_depth=100.0, read_depth=0.0, took_s=0.5)
    count.step(n_rows=1, n_read=31, row_depth=50.0, read_depth=400.0, took_s=2.0)

    assert (
        Work(
            n_reads=1,
            n_writes=1,
            n_rows=3,
            n_read=31,
            n_read_held=450.0,
            n_write_held=200.0,
            read_s=2.0,
            write_s=0.5,
            by_size=by_size(to_2=1, to_32=1),
        )
        == count.shown()
    )
    assert (2, 2.5) == (count.shown().n_steps, count.shown().busy_s)


def test_steps_are_counted_by_the_class_of_their_size() -> None:
    """The limits of the classes are those of the histogram, and the last class takes whatever is larger."""
    count = WorkCount()
    for size in (1, 2, 3, 4, 5, 8, 9, 512, 513, 100_000):
        count.step(size, 0, 0.0, 0.0, 0.0)

    assert by_size(to_1=1, to_2=1, to_4=2, to_8=2, to_16=1, to_512=1, over=2) == count.shown().by_size


def test_the_traffic_is_the_weights_once_a_step_and_the_cells_looked_back_at() -> None:
    """What a step must go through in memory does not depend on how fast it was."""
    work = Work(n_reads=1, n_writes=2, n_read_held=5.0, n_write_held=10.0)

    assert 3 * 1000 + 15 * 2.0 == work.traffic_bytes(weight_bytes=1000, cell_bytes=2.0)
    assert 2 * 1000 + 10 * 2.0 == work.write_traffic_bytes(weight_bytes=1000, cell_bytes=2.0)


def test_the_work_since_an_earlier_look_is_the_difference() -> None:
    """A live view shows what happens now, not the sums of the day."""
    count = WorkCount()
    count.step(1, 0, 8.0, 0.0, 1.0)
    before = count.shown()
    count.step(0, 4, 0.0, 16.0, 3.0)

    assert Work(n_reads=1, n_read=4, n_read_held=16.0, read_s=3.0, by_size=by_size(to_4=1)) == count.shown().since(
        before
    )

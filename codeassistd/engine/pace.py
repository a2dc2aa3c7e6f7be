"""What a step costs on this machine, learned from the steps that were done: pure, the times are handed in.

A step has two kinds of tokens: rows, by which streams go on (a draft's guesses among them), and tokens of prompts that
are read. llama.cpp computes the two one after the other, so their times add up. Each kind has a table of running
medians by size and by depth, which is how many tokens the cache holds before a token, on average: attention makes a
step dearer by it. Medians, because on a machine that does other work too, single steps take many times as long.

From it follow the piece of a prompt that fits into a step without holding a stream up for longer than the goal, and
whether one more row makes a step longer at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from codeassistd.engine.window import Window

__all__ = ["CHUNK_FLOOR", "FIRST_CHUNK", "FIRST_LONG_CHUNK", "Load", "Pace", "depth_class", "size_class"]

CHUNK_FLOOR = 16
"""Fewest prompt tokens of a piece, whatever they cost: below, a processor reads at a fraction of its speed."""

FIRST_CHUNK = 32
"""Tokens of a piece before any was measured; from here on a processor reads at nearly its full speed."""

FIRST_LONG_CHUNK = 128
"""The same for a prompt that nobody waits beside."""

LONG_STEP = 8.0
"""Goals that a step may take where nobody waits beside it. Steps of four goals read a tenth slower than whole batches;
of longer ones more is lost when they are stopped, by a cancel or a key of another editor."""

FREE = 1.1
"""A step that costs no more than this many times another is as good as that: less is lost in the noise."""

_GRAIN = 16
"""Pieces are whole multiples of it, which is what the kernels of matrix products like."""

_N_REMEMBERED = 15
"""Steps of one class that its medians are made of: few, so that a change of the machine's load is seen in a second."""

_SHALLOW = 256
"""Tokens held from which on depth counts; each class is twice as deep as the one before."""

_EMA_SHARE = 0.1
"""Weight of the newest step in the reading speed."""

_WITHOUT_LIMIT = 1 << 30
"""Tokens that fit where they take no time: on a clock that stands."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a step has to do.

    Attributes:
        n_rows: tokens by which streams go on.
        n_read: tokens of prompts.
        row_depth, read_depth: tokens that the cache holds before each of these, on average.
    """

    n_rows: int = 0
    n_read: int = 0
    row_depth: float = 0.0
    read_depth: float = 0.0


class Pace:
    """The measured cost of steps.

    Args:
        goal_ms: longest time that a stream is to wait for its next token.
        n_batch: most tokens of a step.
    """

    def __init__(self, goal_ms: float, n_batch: int) -> None:
        self.goal_ms = goal_ms
        self._n_batch = n_batch
        self._rows = _Curve()
        self._read = _Curve()
        self._by_class: dict[str, Window] = {}
        self._medians: dict[str, float] = {}
        self._prefill_tokens_per_s = 0.0

    def record(self, load: Load, ms: float) -> None:
        """Learn from a step that was done."""
        self._note(_label(load), ms)
        if load.n_read == 0:
            self._rows.add(load.n_rows, load.row_depth, ms)
            return
        rows_ms = self._rows.ms(load.n_rows, load.row_depth)
        if rows_ms is not None and ms >= rows_ms:
            self._read.add(load.n_read, load.read_depth, ms - rows_ms)
        if load.n_rows == 0 and load.n_read >= CHUNK_FLOOR and ms > 0:
            self._count_prefill(1000 * load.n_read / ms)

    def step_ms(self, load: Load) -> float | None:
        """What a step would cost; None while too little is known."""
        rows_ms = self._rows.ms(load.n_rows, load.row_depth)
        read_ms = self._read.ms(load.n_read, load.read_depth)
        return None if rows_ms is None or read_ms is None else rows_ms + read_ms

    def chunk(self, load: Load) -> int:
        """Tokens of prompts at `load.read_depth` that go into a step beside its rows and keep it within the goal."""
        rows_ms = self._rows.ms(load.n_rows, load.row_depth) or 0.0
        return self._piece(self.goal_ms - rows_ms, load.read_depth, FIRST_CHUNK)

    def long_chunk(self, read_depth: float) -> int:
        """Tokens of the one prompt, at that depth, that go into a step which nobody waits beside."""
        return self._piece(LONG_STEP * self.goal_ms, read_depth, FIRST_LONG_CHUNK)

    def is_free(self, without: Load, together: Load) -> bool:
        """Whether a step may do what `together` says in place of `without`, and nobody feels it.

        What was never measured counts as dear.
        """
        less_ms, more_ms = self.step_ms(without), self.step_ms(together)
        if less_ms is None or more_ms is None:
            return False
        return more_ms <= FREE * less_ms and more_ms <= self.goal_ms

    @property
    def prefill_tokens_per_s(self) -> float:
        """Speed at which prompts are read by steps that do nothing else; 0 until known."""
        return self._prefill_tokens_per_s

    def medians(self) -> Mapping[str, float]:
        """Median time of a step in milliseconds, by what it did; the newest steps only."""
        return dict(self._medians)

    def _piece(self, budget_ms: float, depth: float, first: int) -> int:
        n_fit = self._read.size_within(budget_ms, depth)
        n_tokens = first if n_fit is None else n_fit - n_fit % _GRAIN
        return min(max(n_tokens, CHUNK_FLOOR), self._n_batch)

    def _note(self, label: str, ms: float) -> None:
        if label not in self._by_class:
            self._by_class[label] = Window(_N_REMEMBERED)
            self._medians = dict(sorted({**self._medians, label: 0.0}.items()))
        self._by_class[label].add(ms)
        self._medians[label] = round(self._by_class[label].median, 2)

    def _count_prefill(self, tokens_per_s: float) -> None:
        old = self._prefill_tokens_per_s
        self._prefill_tokens_per_s = tokens_per_s if old == 0 else old + _EMA_SHARE * (tokens_per_s - old)


class _Curve:
    """Time by number of tokens, at each depth: medians as points, straight lines between them."""

    def __init__(self) -> None:
        # By size class, then by depth class.
        self._cells: dict[int, dict[int, _Cell]] = {}

    def add(self, n_tokens: int, depth: float, ms: float) -> None:
        """Take a measurement in."""
        cells = self._cells.setdefault(size_class(n_tokens), {})
        cells.setdefault(depth_class(depth), _Cell()).add(n_tokens, ms)

    def ms(self, n_tokens: int, depth: float) -> float | None:
        """Time of so many tokens; None while nothing is known, and 0 for none."""
        if n_tokens == 0:
            return 0.0
        points = list(self._points(depth))
        if not points:
            return None
        if n_tokens <= points[0][0]:
            return points[0][1]  # how much of it is fixed is not known
        for (n_left, ms_left), (n_right, ms_right) in pairwise(points):
            if n_tokens <= n_right:
                return ms_left + (ms_right - ms_left) * (n_tokens - n_left) / (n_right - n_left)
        return points[-1][1] * n_tokens / points[-1][0]

    def size_within(self, budget_ms: float, depth: float) -> int | None:
        """Most tokens that take no longer than `budget_ms`; None while nothing is known."""
        points = list(self._points(depth))
        if not points:
            return None
        n_last, ms_last = points[-1]
        if budget_ms >= ms_last:
            # As if nothing of a step's cost were fixed: the next piece is measured, and shows more.
            return int(min(n_last * budget_ms / ms_last, _WITHOUT_LIMIT)) if ms_last > 0 else _WITHOUT_LIMIT
        if budget_ms <= 0:
            return 0
        n_left, ms_left = 0.0, 0.0
        for n_right, ms_right in points:
            if budget_ms < ms_right:
                return int(n_left + (n_right - n_left) * (budget_ms - ms_left) / (ms_right - ms_left))
            n_left, ms_left = n_right, ms_right
        return int(n_last)

    def _points(self, depth: float) -> Iterator[tuple[float, float]]:
        """The curve at a depth, each size from the depth nearest to it; never falling, for more tokens take longer."""
        wanted, ms_before = depth_class(depth), 0.0
        for _size, cells in sorted(self._cells.items()):
            nearest = min(cells, key=lambda measured: (abs(measured - wanted), measured))
            cell = cells[nearest]
            ms_before = max(ms_before, cell.times.median)
            yield cell.sizes.median, ms_before


class _Cell:
    """The measured steps of one class."""

    __slots__ = ("sizes", "times")

    def __init__(self) -> None:
        self.sizes = Window(_N_REMEMBERED)
        self.times = Window(_N_REMEMBERED)

    def add(self, n_tokens: int, ms: float) -> None:
        self.sizes.add(n_tokens)
        self.times.add(ms)


def size_class(n_tokens: int) -> int:
    """The class of a number of tokens, counted from 0: 1, 2, 3-4, 5-8, 9-16 ..."""
    return (n_tokens - 1).bit_length()


def depth_class(depth: float) -> int:
    """The class of a depth, counted from 0: under 256, under 512, under 1,024 ..."""
    return (int(depth) // _SHALLOW).bit_length()


def _label(load: Load) -> str:
    if load.n_rows and load.n_read:
        return "mixed"
    n_tokens = load.n_rows or load.n_read
    size = size_class(n_tokens)
    most = 1 << size
    least = most // 2 + 1 if size else 1
    sizes = f"{least}" if least == most else f"{least}-{most}"
    return f"{'decode' if load.n_rows else 'prefill'} {sizes}"

"""What the engine has done since it was started, as sums that only grow.

The engine's thread adds to a `WorkCount` once a step, which must cost nearly nothing; everybody else reads the frozen
`Work` that it shows now and then.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NO_WORK", "STEP_SIZES", "Work", "WorkCount"]

#: Upper ends of the classes that steps are counted in, by their tokens; the last class has no end.
STEP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class Work:
    """The sums.

    Attributes:
        n_steps: how often the model was computed.
        n_rows: tokens by which running texts went on, wrong guesses among them.
        n_read: tokens of prompts that were read.
        n_rows_held: for each of the first, how many tokens the cache held before it, all together.
        n_read_held: for each step that read, how many tokens the cache held before what it read, all together.
        read_s, write_s: time of the steps that read prompts, perhaps beside running texts, and of all others.
        by_size: steps by their number of tokens; see `STEP_SIZES`.
    """

    n_steps: int = 0
    n_rows: int = 0
    n_read: int = 0
    n_rows_held: float = 0.0
    n_read_held: float = 0.0
    read_s: float = 0.0
    write_s: float = 0.0
    by_size: tuple[int, ...] = (0,) * (len(STEP_SIZES) + 1)

    @property
    def busy_s(self) -> float:
        """Time of all steps."""
        return self.read_s + self.write_s

    def traffic_bytes(self, weight_bytes: int, cell_bytes: float) -> float:
        """Memory that the steps had to go through, estimated: all weights once a step, and the cells looked back at.

        Args:
            weight_bytes: of the model's weights.
            cell_bytes: of the keys and values of one token.
        """
        return self.n_steps * weight_bytes + (self.n_rows_held + self.n_read_held) * cell_bytes

    def since(self, before: Work) -> Work:
        """What was done after `before`."""
        return Work(
            self.n_steps - before.n_steps,
            self.n_rows - before.n_rows,
            self.n_read - before.n_read,
            self.n_rows_held - before.n_rows_held,
            self.n_read_held - before.n_read_held,
            self.read_s - before.read_s,
            self.write_s - before.write_s,
            tuple(now - then for now, then in zip(self.by_size, before.by_size, strict=True)),
        )


NO_WORK = Work()
"""Before the first step."""


class WorkCount:
    """The sums while they grow; one thread adds, and `shown` gives them to others."""

    __slots__ = ("_by_size", "_n_read", "_n_read_held", "_n_rows", "_n_rows_held", "_n_steps", "_read_s", "_write_s")

    def __init__(self) -> None:
        self._n_steps = self._n_rows = self._n_read = 0
        self._n_rows_held = self._n_read_held = 0.0
        self._read_s = self._write_s = 0.0
        self._by_size = [0] * (len(STEP_SIZES) + 1)

    def step(self, n_rows: int, n_read: int, row_depth: float, read_depth: float, took_s: float) -> None:
        """Add a step.

        Args:
            n_rows: its tokens by which texts go on.
            n_read: its tokens of prompts.
            row_depth: tokens that the cache holds before each of the rows, on average.
            read_depth: the same before the tokens of prompts.
            took_s: how long it took.
        """
        self._n_steps += 1
        self._n_rows += n_rows
        self._n_read += n_read
        self._n_rows_held += n_rows * row_depth
        if n_read:
            self._n_read_held += read_depth
            self._read_s += took_s
        else:
            self._write_s += took_s
        # The class of a size is the number of bits of the size before it: 1, 2, 3-4, 5-8 ...
        self._by_size[min((n_rows + n_read - 1).bit_length(), len(STEP_SIZES))] += 1

    def shown(self) -> Work:
        """The sums as they are now."""
        return Work(
            self._n_steps,
            self._n_rows,
            self._n_read,
            self._n_rows_held,
            self._n_read_held,
            self._read_s,
            self._write_s,
            tuple(self._by_size),
        )

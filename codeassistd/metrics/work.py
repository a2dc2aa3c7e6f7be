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

    A step writes if all its tokens go on with running texts, and reads if any of them is of a prompt.

    Attributes:
        n_reads, n_writes: steps of each kind.
        n_rows: tokens by which running texts went on, wrong guesses among them.
        n_read: tokens of prompts that were read.
        n_read_held, n_write_held: cells of the cache that the steps of each kind looked back at, all together: those
            before each row, and once those before what is read.
        read_s, write_s: time of the steps of each kind.
        by_size: steps by their number of tokens; see `STEP_SIZES`.
    """

    n_reads: int = 0
    n_writes: int = 0
    n_rows: int = 0
    n_read: int = 0
    n_read_held: float = 0.0
    n_write_held: float = 0.0
    read_s: float = 0.0
    write_s: float = 0.0
    by_size: tuple[int, ...] = (0,) * (len(STEP_SIZES) + 1)

    @property
    def n_steps(self) -> int:
        """How often the model was computed."""
        return self.n_reads + self.n_writes

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
        return self.n_steps * weight_bytes + (self.n_read_held + self.n_write_held) * cell_bytes

    def write_traffic_bytes(self, weight_bytes: int, cell_bytes: float) -> float:
        """The same of the steps that write, which memory is most likely too slow for."""
        return self.n_writes * weight_bytes + self.n_write_held * cell_bytes

    def since(self, before: Work) -> Work:
        """What was done after `before`."""
        return Work(
            self.n_reads - before.n_reads,
            self.n_writes - before.n_writes,
            self.n_rows - before.n_rows,
            self.n_read - before.n_read,
            self.n_read_held - before.n_read_held,
            self.n_write_held - before.n_write_held,
            self.read_s - before.read_s,
            self.write_s - before.write_s,
            tuple(now - then for now, then in zip(self.by_size, before.by_size, strict=True)),
        )


NO_WORK = Work()
"""Before the first step."""


class WorkCount:
    """The sums while they grow; one thread adds, and `shown` gives them to others."""

    __slots__ = (
        "_by_size",
        "_n_read",
        "_n_read_held",
        "_n_reads",
        "_n_rows",
        "_n_write_held",
        "_n_writes",
        "_read_s",
        "_write_s",
    )

    def __init__(self) -> None:
        self._n_reads = self._n_writes = self._n_rows = self._n_read = 0
        self._n_read_held = self._n_write_held = self._read_s = self._write_s = 0.0
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
        self._n_rows += n_rows
        self._n_read += n_read
        if n_read:
            self._n_reads += 1
            self._n_read_held += n_rows * row_depth + read_depth
            self._read_s += took_s
        else:
            self._n_writes += 1
            self._n_write_held += n_rows * row_depth
            self._write_s += took_s
        # The class of a size is the number of bits of the size before it: 1, 2, 3-4, 5-8 ...
        self._by_size[min((n_rows + n_read - 1).bit_length(), len(STEP_SIZES))] += 1

    def shown(self) -> Work:
        """The sums as they are now."""
        return Work(
            self._n_reads,
            self._n_writes,
            self._n_rows,
            self._n_read,
            self._n_read_held,
            self._n_write_held,
            self._read_s,
            self._write_s,
            tuple(self._by_size),
        )

"""What is read off the engine and the process at one moment. Plain numbers, so that this room knows no other."""

from __future__ import annotations

from dataclasses import dataclass

from codeassistd.metrics.work import NO_WORK, Work

__all__ = ["DraftSum", "Reading"]


@dataclass(frozen=True, slots=True)
class DraftSum:
    """Tokens that one drafter guessed, and those that the model would have written too."""

    drafter: str
    n_drafted: int
    n_accepted: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The engine and the process at one moment; what is not known is 0.

    Attributes:
        at_s: the clock's monotonic seconds.
        device: what the model is computed on: cpu, gpu.
        work: what the engine's steps have done.
        n_prompt, n_cached, n_output: tokens of all ended sequences.
        n_preempted: how often a sequence gave its slot up to one of a better priority.
        n_restored: how often what was saved or in another slot spared reading.
        cancel_ms_p50, cancel_ms_p99: from a cancel to the sequence being gone.
        n_threads, n_threads_asked: processor threads in force, and those that were asked for.
        read_tokens_per_s: speed at which prompts are read when nothing else runs.
        write_ms: a step that writes one token of one text.
        cells_used: tokens in the cache.
        cells_held: what the slots with any tokens could hold.
        cells_total: what all slots could hold.
        weight_bytes, kv_bytes, saved_bytes: the model's weights, keys and values of all slots, prompts saved beside.
        process_bytes: memory of this process that is not swapped out.
        process_cpu_s: time of all processors that this process took since its start.
        machine_cpu_s: time that all processors were at work since the machine was started.
        n_processors: of the machine, as threads.
        free_bytes, machine_bytes: memory that could still be had, and all of the machine's.
        peak_bytes_per_s: fastest reading of main memory that was measured here; 0 before, and for a GPU's own memory.
    """

    at_s: float = 0.0
    device: str = ""
    n_running: int = 0
    n_waiting: int = 0
    n_slots: int = 0
    work: Work = NO_WORK
    n_prompt: int = 0
    n_cached: int = 0
    n_output: int = 0
    drafts: tuple[DraftSum, ...] = ()
    n_preempted: int = 0
    n_restored: int = 0
    cancel_ms_p50: float = 0.0
    cancel_ms_p99: float = 0.0
    n_threads: int = 0
    n_threads_asked: int = 0
    read_tokens_per_s: float = 0.0
    write_ms: float = 0.0
    cells_used: int = 0
    cells_held: int = 0
    cells_total: int = 0
    weight_bytes: int = 0
    kv_bytes: int = 0
    saved_bytes: int = 0
    process_bytes: int = 0
    process_cpu_s: float = 0.0
    machine_cpu_s: float = 0.0
    n_processors: int = 1
    free_bytes: int = 0
    machine_bytes: int = 0
    peak_bytes_per_s: float = 0.0

    @property
    def cells_fragmented(self) -> int:
        """Cells that stand empty in slots that hold something: no other slot can use them meanwhile."""
        return self.cells_held - self.cells_used

    @property
    def cell_bytes(self) -> float:
        """Keys and values of one token."""
        return self.kv_bytes / self.cells_total if self.cells_total else 0.0

    @property
    def traffic_bytes(self) -> float:
        """Memory that all steps had to go through, estimated with the model of now."""
        return self.work.traffic_bytes(self.weight_bytes, self.cell_bytes)

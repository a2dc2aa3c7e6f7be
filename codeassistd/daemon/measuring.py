"""Reads off what the metrics are made of: the engine's board, the process, the machine, the newest requests."""

from __future__ import annotations

import asyncio

import psutil

from codeassistd.clock import Clock
from codeassistd.engine.engine import Engine
from codeassistd.metrics.figures import Figures, figures_of
from codeassistd.metrics.memory_speed import bytes_to_read, memory_bytes_per_s
from codeassistd.metrics.reading import DraftSum, Reading
from codeassistd.metrics.registry import Registry
from codeassistd.metrics.spans import SpanLog

__all__ = ["Measuring"]

#: The engine's name for a step that writes one token of one text.
_ONE_STREAM = "decode 1"
#: Of the memory that is left, the most that is taken to measure how fast it is.
_MEMORY_SHARE = 0.25
#: Times of a processor at which it does nothing, or that count twice.
_NOT_AT_WORK = ("idle", "iowait", "guest", "guest_nice")


class Measuring:
    """The metrics of one daemon.

    Attributes:
        registry: what is counted, as text for Prometheus.
    """

    def __init__(self, engine: Engine, spans: SpanLog, clock: Clock) -> None:
        self._engine = engine
        self._spans = spans
        self._clock = clock
        self._process = psutil.Process()
        self._peak_bytes_per_s = 0.0
        self._has_measured = False
        self._began = self.reading()
        self.registry = Registry(self.reading)
        spans.listener = self.registry

    def reading(self) -> Reading:
        """How things are now; from any thread."""
        status, memory = self._engine.status(), psutil.virtual_memory()
        own, times = self._process.cpu_times(), psutil.cpu_times()
        effective = dict(status.effective)
        return Reading(
            at_s=self._clock.monotonic_s(),
            device=effective.get("device", ""),
            n_running=status.n_running,
            n_waiting=status.n_waiting,
            n_slots=status.n_slots,
            work=status.work,
            n_prompt=status.n_prompt,
            n_cached=status.n_cached,
            n_output=status.n_output,
            drafts=tuple(DraftSum(one.drafter, one.n_drafted, one.n_accepted) for one in status.drafts),
            n_preempted=status.n_preempted,
            n_restored=status.n_restored,
            cancel_ms_p50=status.cancel_to_idle_ms_p50,
            cancel_ms_p99=status.cancel_to_idle_ms_p99,
            n_threads=status.n_threads,
            n_threads_asked=int(effective.get("threads", 0)),
            read_tokens_per_s=status.prefill_tokens_per_s,
            write_ms=status.step_ms.get(_ONE_STREAM, 0.0),
            cells_used=status.cells_used,
            cells_held=status.cells_held,
            cells_total=status.cells_total,
            weight_bytes=status.weight_bytes,
            kv_bytes=status.kv_bytes,
            saved_bytes=status.saved_bytes,
            process_bytes=self._process.memory_info().rss,
            process_cpu_s=own.user + own.system,
            machine_cpu_s=sum(times) - sum(getattr(times, name, 0.0) for name in _NOT_AT_WORK),
            n_processors=psutil.cpu_count() or 1,
            free_bytes=memory.available,
            machine_bytes=memory.total,
            peak_bytes_per_s=self._peak_bytes_per_s,
        )

    def figures(self, now: Reading | None = None, before: Reading | None = None) -> Figures:
        """The figures from `before` (default: the daemon's start) to `now`."""
        return figures_of(now or self.reading(), before or self._began, self._spans.recent())

    async def measure_memory(self) -> None:
        """Find out once how fast main memory is read, where the model is computed from it and nothing else runs."""
        now = self.reading()
        if self._has_measured or now.device != "cpu" or now.n_running + now.n_waiting:
            return
        n_threads = max(1, now.n_threads_asked)
        if now.free_bytes and bytes_to_read(n_threads) > _MEMORY_SHARE * now.free_bytes:
            return
        # Before it is done: two that measured at once would tell of half the speed.
        self._has_measured = True
        self._peak_bytes_per_s = await asyncio.to_thread(memory_bytes_per_s, n_threads, self._clock)

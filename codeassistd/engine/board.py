"""What the engine shows of itself: a small frozen core after each step, and the whole status when somebody asks.

The engine's thread writes and any thread reads, without a lock: the writer sets one frozen value in place of another.
A step tells only what changes with it. The figures that take time to put together (medians, shares, states kept) are
put together when work runs out, when a sequence has ended, and once in so many steps; so what `status` says of them is
at most that old.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codeassistd.engine.backend import BackendInfo
from codeassistd.engine.pace import Load
from codeassistd.engine.request import DraftCount, EngineState, EngineStatus
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.metrics.work import NO_WORK, Work

__all__ = ["Board"]

_LIGHT = Load(n_rows=1)
"""The step that `n_chunk` is told for."""

_STEPS_PER_FIGURES = 32
"""Less than a second of writing."""


@dataclass(frozen=True, slots=True)
class _Figures:
    """What is put together now and then; as in `EngineStatus`."""

    n_saved: int = 0
    saved_bytes: int = 0
    n_restored: int = 0
    n_preempted: int = 0
    n_threads: int = 0
    n_chunk: int = 0
    step_goal_ms: float = 0.0
    step_ms: Mapping[str, float] = field(default_factory=dict)
    prefill_tokens_per_s: float = 0.0
    cancel_to_idle_ms_p50: float = 0.0
    cancel_to_idle_ms_p99: float = 0.0
    cells_held: int = 0
    work: Work = NO_WORK

    @classmethod
    def of(cls, stepper: Stepper, totals: Totals) -> _Figures:
        carrier, meter = stepper.carrier, stepper.meter
        return cls(
            n_saved=carrier.n_saved,
            saved_bytes=carrier.n_bytes,
            n_restored=carrier.n_restored,
            n_preempted=stepper.scheduler.n_preempted,
            n_threads=meter.n_threads,
            n_chunk=meter.pace.chunk(_LIGHT),
            step_goal_ms=meter.pace.goal_ms,
            step_ms=meter.pace.medians(),
            prefill_tokens_per_s=round(meter.pace.prefill_tokens_per_s, 1),
            cancel_to_idle_ms_p50=round(meter.cancels_ms.median, 2),
            cancel_to_idle_ms_p99=round(meter.cancels_ms.quantile(0.99), 2),
            cells_held=stepper.scheduler.slots.cells_held,
            work=totals.work.shown(),
        )


_NO_FIGURES = _Figures()


@dataclass(frozen=True, slots=True)
class _Core:
    """What a step may change.

    Attributes:
        info: of the loaded backend.
        warning: what a failed reload left to say.
        ended: prompt, cached and output tokens, and sequences finished, aborted and failed.
    """

    state: EngineState
    detail: str = ""
    load_progress: float = 0.0
    info: BackendInfo | None = None
    warning: str = ""
    last_error: str = ""
    last_error_at: float = 0.0
    ended: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    drafts: tuple[DraftCount, ...] = ()
    n_running: int = 0
    n_waiting: int = 0
    cells_used: int = 0
    cells_total: int = 0
    figures: _Figures = _NO_FIGURES


class Board:
    """Where the engine's thread writes how it is, and others read it.

    Attributes:
        warning: what a failed reload left to say; empty for nothing.
    """

    def __init__(self, state: EngineState, totals: Totals) -> None:
        self._totals = totals
        self._core = _Core(state)
        self._n_shown = 0
        self._last_error = ""
        self._last_error_at = 0.0
        self.warning = ""

    # --- from any thread ---

    @property
    def state(self) -> EngineState:
        """The state alone."""
        return self._core.state

    @property
    def detail(self) -> str:
        """The cause when failed, the progress when loading."""
        return self._core.detail

    @property
    def load_progress(self) -> float:
        """From 0 to 1 while loading."""
        return self._core.load_progress

    @property
    def news(self) -> tuple[object, ...]:
        """What a listener is told of: two that are equal are no news."""
        core = self._core
        warnings = () if core.info is None else (core.info.warnings, core.warning)
        return (core.state, core.detail, warnings, core.last_error, core.ended[-1])

    def status(self) -> EngineStatus:
        """The whole of it."""
        core, figures = self._core, self._core.figures
        n_prompt, n_cached, n_output, n_finished, n_aborted, n_failed = core.ended
        info = core.info
        return EngineStatus(
            core.state,
            core.detail,
            core.load_progress,
            asked=() if info is None else tuple(info.asked.items()),
            effective=() if info is None else tuple(info.effective.items()),
            warnings=() if info is None else info.warnings + ((core.warning,) if core.warning else ()),
            n_slots=0 if info is None else info.n_slots,
            n_running=core.n_running,
            n_waiting=core.n_waiting,
            cells_used=core.cells_used,
            cells_total=core.cells_total,
            n_prompt=n_prompt,
            n_cached=n_cached,
            n_output=n_output,
            n_finished=n_finished,
            n_aborted=n_aborted,
            n_failed=n_failed,
            last_error=core.last_error,
            last_error_at=core.last_error_at,
            drafts=core.drafts,
            kv_bytes=0 if info is None else info.kv_bytes,
            n_saved=figures.n_saved,
            saved_bytes=figures.saved_bytes,
            n_restored=figures.n_restored,
            n_preempted=figures.n_preempted,
            n_threads=figures.n_threads,
            n_chunk=figures.n_chunk,
            step_goal_ms=figures.step_goal_ms,
            step_ms=figures.step_ms,
            prefill_tokens_per_s=figures.prefill_tokens_per_s,
            cancel_to_idle_ms_p50=figures.cancel_to_idle_ms_p50,
            cancel_to_idle_ms_p99=figures.cancel_to_idle_ms_p99,
            cells_held=figures.cells_held,
            weight_bytes=0 if info is None else info.weight_bytes,
            work=figures.work,
        )

    # --- from the engine's thread ---

    def fail(self, cause: str, wall_s: float) -> None:
        """Remember the newest failure; it is seen with the next `show`."""
        self._last_error, self._last_error_at = cause, wall_s

    def show(self, state: EngineState, stepper: Stepper | None, detail: str = "", load_progress: float = 0.0) -> None:
        """Tell how things are now."""
        totals = self._totals
        ended = (
            totals.n_prompt,
            totals.n_cached,
            totals.n_output,
            totals.n_finished,
            totals.n_aborted,
            totals.n_failed,
        )
        n_running = n_waiting = cells_used = cells_total = 0
        if stepper is not None:
            scheduler = stepper.scheduler
            n_running, n_waiting = scheduler.n_running, scheduler.n_waiting
            cells_used, cells_total = scheduler.slots.cells_used, scheduler.slots.cells_total
        is_idle = n_running + n_waiting == 0
        self._core = _Core(
            state,
            detail,
            load_progress,
            None if stepper is None else stepper.info,
            self.warning,
            self._last_error,
            self._last_error_at,
            ended,
            totals.drafts,
            n_running,
            n_waiting,
            cells_used,
            cells_total,
            self._figures(stepper, is_due=is_idle or ended != self._core.ended),
        )

    def _figures(self, stepper: Stepper | None, *, is_due: bool) -> _Figures:
        if stepper is None:
            return _Figures(work=self._totals.work.shown())
        self._n_shown += 1
        if is_due or self._n_shown >= _STEPS_PER_FIGURES or self._core.info is None:
            self._n_shown = 0
            return _Figures.of(stepper, self._totals)
        return self._core.figures

"""All measurements of the engine: to add one, write its function and name it here."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from codeassistd.bench.engine.batching import batch8_throughput_ratio
from codeassistd.bench.engine.cancels import cancel_to_idle_ms
from codeassistd.bench.engine.contention import contention_ratio
from codeassistd.bench.engine.keys import interactive_p90_ratio, prefix_reuse
from codeassistd.bench.engine.measured import Effort, Measured
from codeassistd.bench.engine.memory import kv_bytes
from codeassistd.bench.engine.metering import metrics_cost_share
from codeassistd.bench.engine.ratios import decode_ratio, prefill_ratio
from codeassistd.bench.engine.restarts import restart_reuse
from codeassistd.bench.engine.rig import Rig
from codeassistd.bench.engine.speculation import spec_speedup
from codeassistd.bench.engine.steps import step_ms_by_others, step_ms_by_tokens
from codeassistd.errors import UsageError
from codeassistd.metrics.goals import Goal, at_least, at_most

__all__ = ["MEASUREMENTS", "Measurement", "chosen", "goals_of"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One thing that is measured.

    Attributes:
        name: what the command line calls it; most give a figure of this name.
        goals: by figure.
    """

    name: str
    run: Callable[[Rig, Effort], Awaitable[Measured]]
    goals: Mapping[str, Goal] = field(default_factory=dict)


MEASUREMENTS = (
    Measurement("decode_ratio", decode_ratio, {"decode_ratio": at_least(0.97)}),
    Measurement("prefill_ratio", prefill_ratio, {"prefill_ratio": at_least(0.97)}),
    Measurement("batch8_throughput_ratio", batch8_throughput_ratio),
    Measurement(
        "spec_speedup",
        spec_speedup,
        {"spec_speedup": at_least(1.5), "spec_speedup_edits": at_least(2.2), "spec_same_text": at_least(1)},
    ),
    Measurement("step_ms_by_tokens", step_ms_by_tokens),
    Measurement("step_ms_by_others", step_ms_by_others),
    Measurement("prefix_reuse", prefix_reuse, {"prefix_reuse": at_least(0.97)}),
    Measurement("restart_reuse", restart_reuse, {"restart_reuse": at_least(0.9)}),
    Measurement("interactive_p90_ratio", interactive_p90_ratio, {"interactive_p90_ratio": at_most(1.5)}),
    Measurement("cancel_to_idle_ms", cancel_to_idle_ms),
    Measurement("contention_ratio", contention_ratio, {"contention_ratio": at_least(0.33)}),
    Measurement("metrics_cost_share", metrics_cost_share, {"metrics_cost_share": at_most(0.01)}),
    Measurement("kv_bytes", kv_bytes),
)


def chosen(names: Sequence[str]) -> tuple[Measurement, ...]:
    """The measurements of these names, in the table's order; all of them if none is named.

    Raises:
        UsageError: there is none of that name.
    """
    known = [measurement.name for measurement in MEASUREMENTS]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"--only {name}: no such figure; {advice}")
    return tuple(measurement for measurement in MEASUREMENTS if not names or measurement.name in names)


def goals_of(measurements: Sequence[Measurement]) -> dict[str, Goal]:
    """All their goals, by figure."""
    return {figure: goal for measurement in measurements for figure, goal in measurement.goals.items()}

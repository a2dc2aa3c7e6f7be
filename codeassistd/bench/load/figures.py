"""The single numbers of a load. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from codeassistd.bench.load.asked import Fate, Phase, keystroke_figures
from codeassistd.bench.load.run import LoadPlan, LoadRun
from codeassistd.metrics.goals import Goal, at_most

__all__ = ["LOAD_GOALS", "load_figures"]

LOAD_GOALS: Mapping[str, Goal] = MappingProxyType(
    {"n_lost": at_most(0), "n_surplus": at_most(0), "keystroke_ratio": at_most(1.5)}
)


def load_figures(plan: LoadPlan, run: LoadRun) -> dict[str, object]:
    """All single numbers of a run."""
    under_load = [one for one in run.asked if one.phase is Phase.LOAD]
    done = [one for one in under_load if one.fate in {Fate.ANSWERED, Fate.EMPTY}]
    system = run.metrics["figures"]["system"]
    sizes = [n_bytes for _, n_bytes in run.memory]
    return {
        "n_clients": plan.n_clients,
        "n_asked": len(under_load),
        "n_lost": sum(one.fate is Fate.LOST for one in run.asked),
        "n_surplus": run.n_surplus,
        "n_errors": len(run.errors),
        "requests_per_s": len(done) / plan.seconds,
        **{name: system[name] for name in ("tokens_per_s", "device_share", "step_tokens")},
        **{name: system[name] for name in ("queue_ms_p50", "queue_ms_p90")},
        "memory_start_bytes": sizes[0],
        "memory_peak_bytes": max(sizes),
        "memory_end_bytes": sizes[-1],
        **keystroke_figures(run.asked),
    }

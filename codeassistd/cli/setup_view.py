"""How `setup` tells what it measured, chose and did: one line for people, tables for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.cli.checks import Check, Verdict
from codeassistd.cli.doctor import check_rows
from codeassistd.cli.report import Report
from codeassistd.setup.choice import Judged
from codeassistd.setup.choice import Verdict as Suits
from codeassistd.setup.ready import Readiness

__all__ = ["EditorOutcome", "choice_line", "setup_report"]

_GIB = 2**30
_MS_PER_S = 1000.0


@dataclass(frozen=True, slots=True)
class EditorOutcome:
    """What became of our client in one editor.

    Attributes:
        state: `installed`, `declined`, or how it stands.
        hint: what to do about it; empty if nothing.
    """

    editor: str
    state: str
    hint: str = ""


def choice_line(ready: Readiness) -> str:
    """What was measured, what was chosen, and what the next larger model would need."""
    measured, machine = ready.measured, ready.machine
    graphics = f"a GPU with {machine.gpu_bytes / _GIB:.0f} GiB" if machine.gpu_bytes else "no GPU"
    reads, writes = _MS_PER_S / measured.speed.read_ms, _MS_PER_S / measured.speed.write_ms
    parts = [
        f"measured {measured.name}: reads {reads:,.0f} and writes {writes:,.0f} tokens/s on {measured.n_cores} cores",
        f"{machine.memory_bytes / _GIB:.0f} GiB of memory, {graphics}",
        _chosen(ready),
    ]
    if (larger := ready.choice.next_larger) is not None:
        parts.append(f"{larger.name} would need {larger.needs}{_how(larger)}")
    if measured.is_disturbed:
        parts.append("other programs kept the processor busy meanwhile, so a larger one may do on a quiet machine")
    return "; ".join(parts)


def setup_report(
    ready: Readiness, editors: Sequence[EditorOutcome], checks: list[Check], asked: dict[str, object]
) -> Report:
    """The same, for programs."""
    speed, pace = ready.measured.speed, ready.measured.pace
    rows: list[dict[str, object]] = [
        {"table": "models", **_model_row(one), "is_in_force": one.name == ready.model.name}
        for one in ready.choice.judged
    ]
    rows += [{"table": "editors", "editor": one.editor, "state": one.state, "hint": one.hint} for one in editors]
    rows += [{"table": "checks", **row} for row in check_rows(checks)]
    return Report(
        "setup",
        asked=asked,
        effective={
            "model": ready.model.name,
            "path": str(ready.model.path),
            "library": str(ready.library.kept) if ready.library.kept else "installed",
            "library_was_built": ready.library.was_built,
            "explanation": choice_line(ready),
            "problem": ready.problem,
        },
        figures={
            "measured_model": ready.measured.name,
            "read_tokens_per_s": round(_MS_PER_S / speed.read_ms, 1),
            "write_tokens_per_s": round(_MS_PER_S / speed.write_ms, 1),
            "fixed_ms": round(pace.fixed_ms, 3),
            "ms_per_gb": round(pace.ms_per_gb, 3),
            "n_cores": ready.measured.n_cores,
            "load": round(ready.measured.load, 2),
            "memory_bytes": ready.machine.memory_bytes,
            "gpu_bytes": ready.machine.gpu_bytes,
            "n_failed": sum(check.verdict is Verdict.FAIL for check in checks),
        },
        rows=rows,
    )


def _chosen(ready: Readiness) -> str:
    name = ready.model.name
    judged = next((one for one in ready.choice.judged if one.name == name), None)
    took = f" (about {judged.answer_ms / _MS_PER_S:.1f} s for an answer)" if judged else ""
    if ready.problem:
        return f"in force for now: {name}{took}"
    if ready.was_chosen:
        return f"chosen: {name}{took}"
    better = ready.choice.name
    if better is None or better == name:
        return f"kept: {name}{took}"
    return f"kept: {name}{took}, which was chosen before; by these figures `codeassistd setup --model {better}`"


def _how(judged: Judged) -> str:
    """The commands that get a model whose licence must be accepted."""
    if judged.verdict is not Suits.LICENCE:
        return ""
    return f": codeassistd model pull {judged.name} --accept-licence && codeassistd model use {judged.name}"


def _model_row(judged: Judged) -> dict[str, object]:
    return {
        "model": judged.name,
        "verdict": judged.verdict.value,
        "answer_ms": round(judged.answer_ms, 1),
        "need_bytes": judged.need_bytes,
        "needs": judged.needs,
    }

"""What `tune` has found, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from rich.text import Text

from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.daemon.tuned import TunedProfile, TunedStep, TypingSpeed, WholeTried
from codeassistd.tuning.changes import STEPS

__all__ = ["RECORDED", "show_profile", "tune_report"]

RECORDED = TypingSpeed(120.0, 415.0, 300)
"""Warm keys of llama.cpp's own server with the starter as Q4_0 on two cores with AVX-512: on another machine the
figures are others, so a comparison with them is a rough one."""


def tune_report(
    command: str, asked: Mapping[str, object], profile: TunedProfile, live: TypingSpeed | None, why: str
) -> Report:
    """The object for programs.

    Args:
        command: the verb with its sub-verb.
        asked: its options.
        profile: what was found.
        live: the server's speed, where it was typed to; else the recorded one stands in for it.
        why: why not all was tried; empty if all was.
    """
    server = live or RECORDED
    figures: dict[str, object] = {
        "n_tried": len(profile.steps),
        "n_kept": sum(step.is_kept for step in profile.steps),
        "is_complete": profile.is_complete,
        "without_choice": _without_choice(profile),
        "ended_by": why,
        **_speed("before", profile.before),
        **_speed("after", profile.after),
        **_whole(profile.whole),
        **_speed("server", server),
        "server_is_live": live is not None,
        **_ratios(profile, server),
    }
    effective = {"model": profile.model, "machine": profile.machine, "values": dict(profile.values)}
    rows = [{**asdict(step), "change": step.change} for step in profile.steps]
    return Report(command, asked, effective, figures, rows)


def show_profile(profile: TunedProfile, live: TypingSpeed | None) -> None:
    """Print it as tables."""
    print_table(
        ("step", "change", "kept", "a key", "time", "quality", "reason"), [_row(step) for step in profile.steps]
    )
    if without := _without_choice(profile):
        line = f"nothing to choose for: {', '.join(without)} (set by you, or this model or machine has no other)"
        answers().print(Text(line))
    if profile.whole is not None:
        whole = profile.whole
        measured = f"{whole.ratio:.2f} of the time for a key ({whole.low:.2f} to {whole.high:.2f})"
        answers().print(Text(f"all that was kept together: {measured}"))
    server = live or RECORDED
    rows = [("as it was", profile.before), ("as tuned", profile.after)]
    known = [(name, speed) for name, speed in rows if speed is not None]
    name = "llama.cpp's server" if live else "llama.cpp's server, recorded on another machine"
    print_table(
        ("a key until its suggestion", "p50", "p90", "keys"),
        [
            (label, f"{speed.p50_ms:.0f} ms", f"{speed.p90_ms:.0f} ms", str(speed.n_keys))
            for label, speed in [*known, (name, server)]
        ],
    )
    ratios = _ratios(profile, server)
    if ratios["times_faster_p50"] is not None:
        p50, p90 = ratios["times_faster_p50"], ratios["times_faster_p90"]
        answers().print(Text(f"{p50:.1f} times as fast as that server at p50, {p90:.1f} times at p90"))


def _without_choice(profile: TunedProfile) -> list[str]:
    """Steps of which nothing was tried, once all was."""
    tried = {step.step for step in profile.steps}
    return [step for step in STEPS if step not in tried] if profile.is_complete else []


def _row(step: TunedStep) -> tuple[str | Text, ...]:
    time = "" if step.ratio is None else f"{step.ratio:.2f} ({step.low:.2f} to {step.high:.2f})"
    quality = "" if step.nll_change is None else f"{step.nll_change:+.3f}"
    kept = Text("yes" if step.is_kept else "no", style="green" if step.is_kept else "dim")
    key = "" if step.before_ms is None else f"{step.before_ms:.0f} ms -> {step.after_ms:.0f} ms"
    return step.step, step.change, kept, key, time, quality, step.reason


def _speed(name: str, speed: TypingSpeed | None) -> dict[str, object]:
    return {
        f"{name}_p50_ms": None if speed is None else round(speed.p50_ms, 1),
        f"{name}_p90_ms": None if speed is None else round(speed.p90_ms, 1),
    }


def _whole(whole: WholeTried | None) -> dict[str, object]:
    return {
        "whole_ratio": None if whole is None else whole.ratio,
        "whole_low": None if whole is None else whole.low,
        "whole_high": None if whole is None else whole.high,
        "whole_n_pairs": 0 if whole is None else whole.n_pairs,
    }


def _ratios(profile: TunedProfile, server: TypingSpeed) -> dict[str, float | None]:
    """How many times the server's time a key takes, as it is now."""
    now = profile.after or profile.before
    return {
        "times_faster_p50": None if now is None else server.p50_ms / max(now.p50_ms, 0.001),
        "times_faster_p90": None if now is None else server.p90_ms / max(now.p90_ms, 0.001),
    }

"""What holds users up most, in one sentence, and the setting that helps. A table of rules over the figures; pure.

The rules stand in the order in which they are asked, and the first that has something to say is heard: memory that runs
out is worse than anything slow, and what other programs take is not mended by a setting of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from codeassistd.metrics.figures import Figures

__all__ = ["Finding", "Limit", "bottleneck"]

#: Fewer requests than this say nothing.
_N_ENOUGH = 5
#: An answer that nine of ten get within this time is not waited for.
_UNNOTICED_MS = 150.0
#: Below this share of the machine's memory the system begins to move pages out.
_SCARCE = 0.05
#: From this share of the waiting on a part of it is worth naming.
_MUCH = 0.4
_QUEUE_MUCH = 0.25
#: Share of the processors that others may take without being felt.
_OTHERS_MUCH = 0.25
#: Estimates of the traffic leave out what a step writes, so its limit is met below the whole peak.
_NEAR_PEAK = 0.6
#: Below this share of prompts that come from the cache, it is the cache that is too small or too often left.
_WARM = 0.8
_GIB = 2**30


class Limit(StrEnum):
    """What is met first."""

    UNKNOWN = "unknown"
    """Too little was asked to say."""
    NOTHING = "nothing"
    """Nobody waits for long."""
    MEMORY = "memory"
    """There is hardly any left."""
    CONTENTION = "contention"
    """Other programs take the processor."""
    QUEUE = "queue"
    """Requests wait for others."""
    PREFILL = "prefill"
    """Prompts are read."""
    BANDWIDTH = "bandwidth"
    """Answers are written as fast as memory gives the weights."""
    DECODE = "decode"
    """Answers are written, and the computing takes long."""
    ROUND = "round"
    """The time goes before and after the engine."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence and what to do.

    Attributes:
        remedy: the setting that helps; empty where nothing needs to be done.
    """

    limit: Limit
    sentence: str
    remedy: str = ""


def bottleneck(figures: Figures) -> Finding:
    """What holds users up most."""
    for rule in _RULES:
        finding = rule(figures)
        if finding is not None:
            return finding
    return _round(figures)


def _memory(figures: Figures) -> Finding | None:
    own = figures.resources
    if not own.machine_bytes or own.free_bytes >= _SCARCE * own.machine_bytes:
        return None
    sentence = f"memory is running out: {_gib(own.free_bytes)} of {_gib(own.machine_bytes)} are left"
    if own.kv_bytes > own.weight_bytes:
        remedy = f"keys and values take {_gib(own.kv_bytes)}: lower model.n_slots or model.n_ctx, or set model.kv_mb"
    else:
        remedy = f"weights take {_gib(own.weight_bytes)}: choose a smaller model, or close other programs"
    return Finding(Limit.MEMORY, sentence, remedy)


def _unknown(figures: Figures) -> Finding | None:
    user = figures.user
    if user.n_waited >= _N_ENOUGH and user.total_ms_p90 is not None:
        return None
    noun = "answer" if user.n_waited == 1 else "answers"
    return Finding(Limit.UNKNOWN, f"too little was asked to say ({user.n_waited} {noun} of the engine)")


def _nothing(figures: Figures) -> Finding | None:
    p90_ms = figures.user.total_ms_p90 or 0.0
    if p90_ms > _UNNOTICED_MS:
        return None
    return Finding(Limit.NOTHING, f"nothing: 9 of 10 answers come within {p90_ms:.0f} ms")


def _contention(figures: Figures) -> Finding | None:
    others, system = figures.resources.others_share or 0.0, figures.system
    if system.device == "gpu" or others < _OTHERS_MUCH:
        return None
    sentence = f"contention: other programs take {others:.0%} of the processor"
    if system.n_threads < system.n_threads_asked:
        sentence += f", so {system.n_threads} of {system.n_threads_asked} threads are used"
    return Finding(Limit.CONTENTION, sentence, "end them, or lower model.threads to what they leave")


def _queue(figures: Figures) -> Finding | None:
    queue, system = figures.user.queue_share or 0.0, figures.system
    if queue < _QUEUE_MUCH:
        return None
    sentence = f"the queue: {queue:.0%} of the waiting is for other requests (p90 {system.queue_ms_p90 or 0:.0f} ms)"
    if system.n_running + system.n_waiting >= system.n_slots:
        return Finding(Limit.QUEUE, sentence, f"raise model.n_slots (now {system.n_slots}), if memory allows")
    return Finding(Limit.QUEUE, sentence, "lower model.step_ms, so that others' prompts are read in smaller pieces")


def _prefill(figures: Figures) -> Finding | None:
    prefill, decode = figures.user.prefill_share or 0.0, figures.user.decode_share or 0.0
    if prefill < _MUCH or prefill < decode:
        return None
    reuse = figures.system.prefix_reuse
    sentence = f"reading prompts: {prefill:.0%} of the waiting"
    if reuse is not None and reuse < _WARM:
        sentence += f", and only {reuse:.0%} of their tokens come from the cache"
        return Finding(Limit.PREFILL, sentence, "raise model.n_slots or model.cache_mb, so that they stay in the cache")
    return Finding(Limit.PREFILL, sentence, "lower context.max_tokens or context.cold_ms")


def _bandwidth(figures: Figures) -> Finding | None:
    decode, own = figures.user.decode_share or 0.0, figures.resources
    if decode < _MUCH or (own.bandwidth_share or 0.0) < _NEAR_PEAK:
        return None
    used, peak = (own.bandwidth_bytes_per_s or 0.0) / 1e9, (own.peak_bytes_per_s or 0.0) / 1e9
    sentence = f"memory bandwidth: writing takes {decode:.0%} of the waiting at {used:.1f} of {peak:.1f} GB/s"
    return Finding(Limit.BANDWIDTH, sentence, "choose a file with smaller weights, or guess ahead by model.draft")


def _decode(figures: Figures) -> Finding | None:
    decode, system = figures.user.decode_share or 0.0, figures.system
    if decode < _MUCH:
        return None
    sentence = f"writing: {decode:.0%} of the waiting, and memory could give more"
    if system.device == "cpu":
        return Finding(Limit.DECODE, sentence, "set model.threads to the number of cores, or choose a smaller model")
    return Finding(Limit.DECODE, sentence, "guess ahead by model.draft, or choose a smaller model")


def _round(figures: Figures) -> Finding:
    user = figures.user
    known = sum(share or 0.0 for share in (user.queue_share, user.prefill_share, user.decode_share))
    sentence = f"no part of the engine: {max(0.0, 1 - known):.0%} of the waiting is before and after it"
    return Finding(Limit.ROUND, sentence, "lower context.definitions, and see `codeassistd explain show`")


_RULES: tuple[Callable[[Figures], Finding | None], ...] = (
    _memory,
    _unknown,
    _nothing,
    _contention,
    _queue,
    _prefill,
    _bandwidth,
    _decode,
)


def _gib(n_bytes: int) -> str:
    return f"{n_bytes / _GIB:.1f} GiB"

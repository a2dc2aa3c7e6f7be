"""The main figures, made of what was read off the engine and of the newest requests. Pure.

Three layers: what users wait for, what the system does, what it takes. Rates hold for the time between two readings,
and those of work for the time at work, because a daemon that idles is not slow. None stands where nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from codeassistd.metrics.reading import Reading
from codeassistd.metrics.spans import Outcome, Source, Span
from codeassistd.metrics.stats import percentile, share

__all__ = ["Figures", "ResourceFigures", "SystemFigures", "UserFigures", "figures_of", "request_rows"]

_N_DIGITS = 4
#: The trigger of a question in a chat: its answer is read as it comes, so it has figures of its own.
_CHAT = "chat"
#: Outcomes of requests that somebody waited for until their end.
_AWAITED = frozenset({Outcome.SHOWN, Outcome.EMPTY, Outcome.SILENT, Outcome.DEADLINE})


@dataclass(frozen=True, slots=True)
class UserFigures:
    """What users wait for, from the newest requests; all but the last four figures are of suggestions.

    Attributes:
        n_requests: how many of the newest requests were for suggestions.
        show_rate: share of them that got a suggestion.
        total_ms_p50, total_ms_p90: from request to answer, of those that were waited for.
        ttft_ms_p50, ttft_ms_p90: from request to the first token, where the engine wrote.
        tpot_ms_p50, tpot_ms_p90: from one token to the next.
        n_waited: requests that the engine wrote for, which the three shares are of.
        queue_share, prefill_share, decode_share: of the time that these took, what went for waiting in the queue, for
            reading the prompt, and for writing; the rest is the time before and after the engine.
        n_chats: how many of the newest requests were questions in a chat.
        chat_ttft_ms_p50, chat_ttft_ms_p90: from these to the first token.
        chat_tpot_ms_p50: from one token to the next.
    """

    n_requests: int = 0
    show_rate: float | None = None
    total_ms_p50: float | None = None
    total_ms_p90: float | None = None
    ttft_ms_p50: float | None = None
    ttft_ms_p90: float | None = None
    tpot_ms_p50: float | None = None
    tpot_ms_p90: float | None = None
    n_waited: int = 0
    queue_share: float | None = None
    prefill_share: float | None = None
    decode_share: float | None = None
    n_chats: int = 0
    chat_ttft_ms_p50: float | None = None
    chat_ttft_ms_p90: float | None = None
    chat_tpot_ms_p50: float | None = None


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """What the engine and the caches do.

    Attributes:
        queue_ms_p50, queue_ms_p90: waiting in the queue.
        n_running, n_waiting: sequences in the engine now.
        n_slots: sequences that it can hold at once.
        step_tokens: tokens of a step, on average: how well steps are filled.
        tokens_per_s: tokens read and written per second at work.
        read_tokens_per_s: speed at which prompts are read when nothing else runs.
        write_ms: a step that writes one token of one text.
        prefix_reuse: share of prompt tokens that did not have to be read again.
        n_drafted, draft_acceptance: tokens guessed ahead, and the share of them that was right.
        without_engine_share: of the suggestions shown, those from a cache of answers.
        n_preempted: slots given up to a better priority, since the model was loaded.
        cancel_ms_p50, cancel_ms_p99: from a cancel to the sequence being gone.
        device: what the model is computed on.
        device_share: share of the time in which the engine was in a step.
        read_share: of that, the share in steps that read prompts, be it for nobody who waits.
        n_threads, n_threads_asked: processor threads in force, and asked for.
    """

    queue_ms_p50: float | None = None
    queue_ms_p90: float | None = None
    n_running: int = 0
    n_waiting: int = 0
    n_slots: int = 0
    step_tokens: float | None = None
    tokens_per_s: float | None = None
    read_tokens_per_s: float | None = None
    write_ms: float | None = None
    prefix_reuse: float | None = None
    n_drafted: int = 0
    draft_acceptance: float | None = None
    without_engine_share: float | None = None
    n_preempted: int = 0
    cancel_ms_p50: float | None = None
    cancel_ms_p99: float | None = None
    device: str = ""
    device_share: float | None = None
    read_share: float | None = None
    n_threads: int = 0
    n_threads_asked: int = 0


@dataclass(frozen=True, slots=True)
class ResourceFigures:
    """What it takes of the machine.

    Attributes:
        weight_bytes, kv_bytes, saved_bytes: the model's weights, keys and values of all slots, prompts saved beside.
        process_bytes: memory of the daemon.
        free_bytes, machine_bytes: memory that could still be had, and all of the machine's.
        kv_used_share: of all cells, those with tokens.
        kv_fragmented_share: of all cells, those that stand empty in slots that hold something.
        bandwidth_bytes_per_s: memory that steps went through per second of writing, estimated.
        peak_bytes_per_s: fastest reading of main memory that was measured.
        bandwidth_share: of the peak.
        others_share: share of the machine's processors that others than the daemon took.
    """

    weight_bytes: int = 0
    kv_bytes: int = 0
    saved_bytes: int = 0
    process_bytes: int = 0
    free_bytes: int = 0
    machine_bytes: int = 0
    kv_used_share: float | None = None
    kv_fragmented_share: float | None = None
    bandwidth_bytes_per_s: float | None = None
    peak_bytes_per_s: float | None = None
    bandwidth_share: float | None = None
    others_share: float | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """All three layers."""

    user: UserFigures = UserFigures()
    system: SystemFigures = SystemFigures()
    resources: ResourceFigures = ResourceFigures()

    def as_table(self) -> dict[str, dict[str, object]]:
        """By layer and name, for programs."""
        return {
            layer: {name: _rounded(value) for name, value in table.items()} for layer, table in asdict(self).items()
        }


def figures_of(now: Reading, before: Reading, spans: Sequence[Span]) -> Figures:
    """The figures of the time from `before` to `now`, and of the newest requests."""
    return Figures(_of_users(spans), _of_system(now, before, spans), _of_resources(now, before))


def request_rows(spans: Iterable[Span]) -> list[dict[str, object]]:
    """What users waited for, by trigger and outcome."""
    groups: dict[tuple[str, str], list[Span]] = {}
    for span in spans:
        groups.setdefault((span.trigger, span.outcome.value), []).append(span)
    return [
        {"trigger": trigger, "outcome": outcome, "n_requests": len(group), **_rounded_times(group)}
        for (trigger, outcome), group in sorted(groups.items())
    ]


def _of_users(spans: Sequence[Span]) -> UserFigures:
    chats = _times(span for span in spans if span.trigger == _CHAT)
    suggestions = [span for span in spans if span.trigger != _CHAT]
    awaited = [span for span in suggestions if span.outcome in _AWAITED]
    waited = [span for span in awaited if span.source is Source.ENGINE and span.is_measured]
    total_ms = sum(span.total_ms for span in waited)
    return UserFigures(
        n_requests=len(suggestions),
        show_rate=share(sum(span.outcome is Outcome.SHOWN for span in suggestions), len(suggestions)),
        **_times(awaited),
        n_waited=len(waited),
        queue_share=share(sum(span.queue_ms for span in waited), total_ms),
        prefill_share=share(sum(span.prefill_ms for span in waited), total_ms),
        decode_share=share(sum(span.tpot_ms * max(0, span.n_output - 1) for span in waited), total_ms),
        n_chats=len(spans) - len(suggestions),
        chat_ttft_ms_p50=chats["ttft_ms_p50"],
        chat_ttft_ms_p90=chats["ttft_ms_p90"],
        chat_tpot_ms_p50=chats["tpot_ms_p50"],
    )


def _of_system(now: Reading, before: Reading, spans: Sequence[Span]) -> SystemFigures:
    work = now.work.since(before.work)
    queues_ms = [span.queue_ms for span in spans if span.source is Source.ENGINE and span.is_measured]
    shown = [span for span in spans if span.outcome is Outcome.SHOWN and span.trigger != _CHAT]
    n_drafted = _n_drafted(now) - _n_drafted(before)
    n_accepted = sum(draft.n_accepted for draft in now.drafts) - sum(draft.n_accepted for draft in before.drafts)
    return SystemFigures(
        queue_ms_p50=percentile(queues_ms, 50),
        queue_ms_p90=percentile(queues_ms, 90),
        n_running=now.n_running,
        n_waiting=now.n_waiting,
        n_slots=now.n_slots,
        step_tokens=share(work.n_rows + work.n_read, work.n_steps),
        tokens_per_s=share(work.n_rows + work.n_read, work.busy_s),
        read_tokens_per_s=now.read_tokens_per_s or None,
        write_ms=now.write_ms or None,
        prefix_reuse=share(now.n_cached - before.n_cached, now.n_prompt - before.n_prompt),
        n_drafted=n_drafted,
        draft_acceptance=share(n_accepted, n_drafted),
        without_engine_share=share(sum(span.source is not Source.ENGINE for span in shown), len(shown)),
        n_preempted=now.n_preempted,
        cancel_ms_p50=now.cancel_ms_p50 or None,
        cancel_ms_p99=now.cancel_ms_p99 or None,
        device=now.device,
        device_share=share(work.busy_s, now.at_s - before.at_s),
        read_share=share(work.read_s, work.busy_s),
        n_threads=now.n_threads,
        n_threads_asked=now.n_threads_asked,
    )


def _of_resources(now: Reading, before: Reading) -> ResourceFigures:
    work = now.work.since(before.work)
    # Of both by the model of now: another one was most likely never asked between the two.
    bandwidth = share(work.write_traffic_bytes(now.weight_bytes, now.cell_bytes), work.write_s)
    own_s, all_s = now.process_cpu_s - before.process_cpu_s, now.machine_cpu_s - before.machine_cpu_s
    return ResourceFigures(
        weight_bytes=now.weight_bytes,
        kv_bytes=now.kv_bytes,
        saved_bytes=now.saved_bytes,
        process_bytes=now.process_bytes,
        free_bytes=now.free_bytes,
        machine_bytes=now.machine_bytes,
        kv_used_share=share(now.cells_used, now.cells_total),
        kv_fragmented_share=share(now.cells_fragmented, now.cells_total),
        bandwidth_bytes_per_s=bandwidth,
        peak_bytes_per_s=now.peak_bytes_per_s or None,
        bandwidth_share=None if bandwidth is None else share(bandwidth, now.peak_bytes_per_s),
        others_share=share(max(0.0, all_s - own_s), now.n_processors * (now.at_s - before.at_s)),
    )


def _times(spans: Iterable[Span]) -> dict[str, float | None]:
    """The percentiles of what some requests took; a time of 0 is one that was never reached."""
    known = list(spans)
    values = {
        "ttft_ms": [span.ttft_ms for span in known if span.ttft_ms],
        "tpot_ms": [span.tpot_ms for span in known if span.tpot_ms],
        "total_ms": [span.total_ms for span in known],
    }
    return {f"{name}_p{share}": percentile(times, share) for name, times in values.items() for share in (50, 90)}


def _rounded_times(spans: Iterable[Span]) -> dict[str, object]:
    return {name: _rounded(value) for name, value in _times(spans).items()}


def _n_drafted(reading: Reading) -> int:
    return sum(draft.n_drafted for draft in reading.drafts)


def _rounded(value: object) -> object:
    return round(value, _N_DIGITS) if isinstance(value, float) else value

"""The metrics for people: a screen of 80 by 24 letters at most, the same whether it stands still or moves. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from codeassistd.cli.sparkline import bar, sparkline

__all__ = ["History", "screen"]

#: Letters of a sparkline, and so the seconds that a moving screen looks back.
_N_SPARKS = 24
_WIDTH = 79
_LABEL = 16
_MIB, _GIB, _GB = 2**20, 2**30, 1e9
_UNKNOWN = "-"
#: From here on times are told in seconds, and numbers without a digit behind the point.
_LONG_MS = 10_000.0
_WHOLE = 100.0

Figures = Mapping[str, Mapping[str, Any]]


def _series() -> deque[float]:
    return deque(maxlen=_N_SPARKS)


@dataclass(frozen=True, slots=True)
class History:
    """What a moving screen has seen, the newest last; the screen that stands still has none."""

    busy: deque[float] = field(default_factory=_series)
    tokens_per_s: deque[float] = field(default_factory=_series)
    bandwidth: deque[float] = field(default_factory=_series)
    process_bytes: deque[float] = field(default_factory=_series)

    def add(self, figures: Figures) -> None:
        """Look at the figures of one more period."""
        system, own = figures["system"], figures["resources"]
        self.busy.append(system["device_share"] or 0.0)
        self.tokens_per_s.append((system["tokens_per_s"] or 0.0) * (system["device_share"] or 0.0))
        self.bandwidth.append(own["bandwidth_bytes_per_s"] or 0.0)
        self.process_bytes.append(own["process_bytes"])


def screen(answer: Mapping[str, Any], history: History, *, is_plain: bool = False) -> list[Text]:
    """The lines of the screen.

    Args:
        answer: of the daemon to `metrics`.
        history: what was seen before; empty for a screen that stands still.
        is_plain: whether the terminal knows ASCII alone.
    """
    draw = _Pen(is_plain)
    figures: Figures = answer["figures"]
    lines = [
        *_users(figures["user"], answer["newest_ms"], draw),
        Text(),
        *_system(figures["system"], history, draw),
        Text(),
        *_resources(figures["resources"], history, draw),
        Text(),
        *_limit(answer["bottleneck"]),
    ]
    for line in lines:
        line.truncate(_WIDTH)
    return lines


@dataclass(frozen=True, slots=True)
class _Pen:
    """Draws with the letters that the terminal knows."""

    is_plain: bool

    def sparks(self, values: Sequence[float]) -> str:
        return sparkline(list(values), _N_SPARKS, is_plain=self.is_plain)

    def bar(self, shares: Sequence[float]) -> str:
        return bar(shares, "#=-" if self.is_plain else "█▓░", _N_SPARKS)


def _users(user: Mapping[str, Any], newest_ms: Sequence[float], pen: _Pen) -> Iterator[Text]:
    yield _heading("requests", f"{user['n_requests']} newest, {_share(user['show_rate'])} with a suggestion")
    for name, label in (("total", "to the answer"), ("ttft", "first token"), ("tpot", "each token")):
        p50, p90 = (_ms(user[f"{name}_ms_p{percent}"]) for percent in (50, 90))
        sparks = pen.sparks(newest_ms) if name == "total" else ""
        yield _line(label, f"p50 {p50:>9}   p90 {p90:>9}   {sparks}")
    if user["n_chats"]:
        times = f"p50 {_ms(user['chat_ttft_ms_p50']):>9}   p90 {_ms(user['chat_ttft_ms_p90']):>9}"
        yield _line("chat's first", f"{times}   then {_ms(user['chat_tpot_ms_p50'])} a token")
    queue, prefill, decode = (user[f"{part}_share"] or 0.0 for part in ("queue", "prefill", "decode"))
    words = f"queue {queue:.0%}, reading {prefill:.0%}, writing {decode:.0%}"
    yield _line("waiting", f"{pen.bar((queue, prefill, decode))} {words}" if user["n_waited"] else _UNKNOWN)


def _system(system: Mapping[str, Any], history: History, pen: _Pen) -> Iterator[Text]:
    sequences = f"{system['n_running']} running, {system['n_waiting']} waiting, {system['n_slots']} slots"
    threads = f", {system['n_threads']} of {system['n_threads_asked']} threads" if system["n_threads_asked"] else ""
    yield _heading("engine", f"{system['device'] or 'no model'}{threads}; {sequences}")
    yield _line("at work", f"{_share(system['device_share']):>9} of the time   {pen.sparks(history.busy)}")
    speed = f"{_number(system['tokens_per_s']):>9} tokens/s at work, {_number(system['step_tokens'])} a step"
    yield _line("throughput", f"{speed}   {pen.sparks(history.tokens_per_s)}")
    reads = f"reads {_number(system['read_tokens_per_s'])} tokens/s, writes a token in {_ms(system['write_ms'])}"
    yield _line("by itself", reads)
    queue = f"p50 {_ms(system['queue_ms_p50']):>9}   p90 {_ms(system['queue_ms_p90']):>9}"
    yield _line("queue", f"{queue}   {system['n_preempted']} preempted")
    cancels = f"p50 {_ms(system['cancel_ms_p50']):>9}   p99 {_ms(system['cancel_ms_p99']):>9}"
    yield _line("cancels", cancels)
    reuse = f"{_share(system['prefix_reuse'])} of prompts reused"
    guesses = f"{_share(system['draft_acceptance'])} of {system['n_drafted']} guesses"
    yield _line("spared", f"{reuse}, {guesses}, {_share(system['without_engine_share'])} of answers")


def _resources(own: Mapping[str, Any], history: History, pen: _Pen) -> Iterator[Text]:
    free = f"{_gib(own['free_bytes'])} of {_gib(own['machine_bytes'])} free"
    yield _heading("memory", f"{free}; others take {_share(own['others_share'])} of the processor")
    parts = f"weights {_mib(own['weight_bytes'])}, cache {_mib(own['kv_bytes'])}, saved {_mib(own['saved_bytes'])}"
    yield _line("process", f"{_mib(own['process_bytes']):>9}   {pen.sparks(history.process_bytes)}")
    yield _line("of it", parts)
    used, fragmented = own["kv_used_share"] or 0.0, own["kv_fragmented_share"] or 0.0
    words = f"{used:.0%} used, {fragmented:.0%} held empty"
    yield _line("cells", f"{pen.bar((used, 0.0, fragmented))} {words}")
    bandwidth, peak = own["bandwidth_bytes_per_s"], own["peak_bytes_per_s"]
    known = f"{bandwidth / _GB:.1f} GB/s" if bandwidth else _UNKNOWN
    of_peak = f" of {peak / _GB:.1f} GB/s ({_share(own['bandwidth_share'])})" if peak else ""
    yield _line("bandwidth", f"{known:>9}{of_peak}   {pen.sparks(history.bandwidth)}")


def _limit(finding: Mapping[str, Any]) -> Iterator[Text]:
    yield Text.assemble(("limit".ljust(_LABEL), "bold"), finding["sentence"])
    if finding["remedy"]:
        yield _line("", finding["remedy"])


def _heading(label: str, words: str) -> Text:
    return Text.assemble((label.ljust(_LABEL), "bold"), words)


def _line(label: str, words: str) -> Text:
    return Text.assemble((f"  {label}".ljust(_LABEL), "dim"), words)


def _ms(value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    return f"{value / 1000:.1f} s" if value >= _LONG_MS else f"{_number(value)} ms"


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.0%}"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.0f}" if value >= _WHOLE else f"{value:.1f}"


def _mib(n_bytes: int) -> str:
    return f"{n_bytes / _MIB:.0f} MiB"


def _gib(n_bytes: int) -> str:
    return f"{n_bytes / _GIB:.1f} GiB"

"""All that is counted, as Prometheus wants it: what users wait for, what the system does, what it takes.

Requests are observed as their spans come; engine and process are read off when somebody asks, so they cost a step
nothing. A registry belongs to one daemon: two can live in one process. Names are promised, and times are in seconds and
sizes in bytes, as is the custom there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from codeassistd.metrics.reading import Reading
from codeassistd.metrics.spans import Outcome, Source, Span
from codeassistd.metrics.work import STEP_SIZES, Work

__all__ = ["Registry"]

_PREFIX = "codeassistd"
#: From what nobody notices to what nobody waits for.
_REQUEST_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.2, 2.5, 5.0, 10.0, 30.0)
_TOKEN_S = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.15, 0.3, 1.0)
_BY = ("trigger", "outcome")


class Registry:
    """The counts of one daemon.

    Args:
        read: the engine and the process now; called by whoever asks for the text, on its thread.
    """

    def __init__(self, read: Callable[[], Reading] = Reading) -> None:
        self._prometheus = CollectorRegistry()
        self._requests = self._histogram("request_seconds", "From a request to its answer.", _BY, _REQUEST_S)
        self._first = self._histogram(
            "time_to_first_token_seconds", "From a request to its first token, where the engine wrote.", _BY, _REQUEST_S
        )
        self._token = self._histogram(
            "time_per_token_seconds", "From one token of an answer to the next, on average over it.", _BY, _TOKEN_S
        )
        self._queue = self._histogram(
            "queue_seconds", "From a request to the engine's beginning with it.", ("trigger",), _REQUEST_S
        )
        self._prompt = self._counter("request_prompt_tokens", "Prompt tokens of requests, by where from.", ("origin",))
        self._suggestions = self._counter("suggestions", "Suggestions shown, by where from.", ("source",))
        self._accepted = self._counter("accepted_suggestions", "Suggestions that were taken.", ())
        self._prometheus.register(_Readings(read))

    def ended(self, span: Span) -> None:
        """A request has its answer."""
        self._requests.labels(span.trigger, span.outcome.value).observe(span.total_ms / 1000)
        if span.ttft_ms:
            self._first.labels(span.trigger, span.outcome.value).observe(span.ttft_ms / 1000)
        if span.outcome is Outcome.SHOWN and span.source is not Source.NONE:
            self._suggestions.labels(span.source.value).inc()

    def measured(self, span: Span) -> None:
        """The engine has told what it did for a request."""
        if span.source is not Source.ENGINE:
            return
        self._queue.labels(span.trigger).observe(span.queue_ms / 1000)
        self._prompt.labels("cache").inc(span.n_cached)
        self._prompt.labels("read").inc(max(0, span.n_prompt - span.n_cached))
        if span.tpot_ms:
            self._token.labels(span.trigger, span.outcome.value).observe(span.tpot_ms / 1000)

    def accepted(self, span: Span) -> None:
        """The user took a suggestion."""
        del span
        self._accepted.inc()

    def text(self) -> str:
        """Everything, as Prometheus reads it; from any thread."""
        return generate_latest(self._prometheus).decode()

    def _histogram(self, name: str, about: str, labels: tuple[str, ...], buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"{_PREFIX}_{name}", about, labels, buckets=buckets, registry=self._prometheus)

    def _counter(self, name: str, about: str, labels: tuple[str, ...]) -> Counter:
        return Counter(f"{_PREFIX}_{name}", about, labels, registry=self._prometheus)


class _Readings(Collector):
    """Turns a reading into metrics when it is asked."""

    def __init__(self, read: Callable[[], Reading]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        reading = self._read()
        yield from _of_work(reading.work)
        yield from _of_engine(reading)
        yield from _of_cache(reading)
        yield from _of_memory(reading)

    def describe(self) -> Iterator[Metric]:
        """Nothing: else the names would be asked for by a reading before there is an engine."""
        return iter(())


def _of_work(work: Work) -> Iterator[Metric]:
    sizes = HistogramMetricFamily(f"{_PREFIX}_step_tokens", "Tokens of an engine step.")
    n_below, buckets = 0, []
    for limit, n_steps in zip((*STEP_SIZES, float("inf")), work.by_size, strict=True):
        n_below += n_steps
        buckets.append((str(float(limit)) if limit != float("inf") else "+Inf", float(n_below)))
    sizes.add_metric([], buckets, float(work.n_rows + work.n_read))
    yield sizes
    yield _counters("step_seconds", "Time of engine steps.", "work", {"read": work.read_s, "write": work.write_s})
    yield _counters("step_work_tokens", "Tokens of engine steps.", "work", {"read": work.n_read, "write": work.n_rows})


def _of_engine(reading: Reading) -> Iterator[Metric]:
    tokens = {"prompt": reading.n_prompt, "cached": reading.n_cached, "written": reading.n_output}
    yield _counters("tokens", "Tokens of ended sequences.", "kind", tokens)
    drafted = CounterMetricFamily(f"{_PREFIX}_draft_tokens", "Tokens guessed ahead.", labels=("drafter", "verdict"))
    for draft in reading.drafts:
        drafted.add_metric([draft.drafter, "accepted"], draft.n_accepted)
        drafted.add_metric([draft.drafter, "refused"], draft.n_drafted - draft.n_accepted)
    yield drafted
    yield CounterMetricFamily(f"{_PREFIX}_preemptions", "Slots given up to better ones.", value=reading.n_preempted)
    yield CounterMetricFamily(f"{_PREFIX}_restored_prompts", "Prompts brought back.", value=reading.n_restored)
    sequences = {"running": reading.n_running, "waiting": reading.n_waiting}
    yield _gauges("sequences", "Sequences in the engine now.", "state", sequences)
    cancels = {"0.5": reading.cancel_ms_p50 / 1000, "0.99": reading.cancel_ms_p99 / 1000}
    yield _gauges("cancel_to_idle_seconds", "From a cancel to the sequence being gone.", "quantile", cancels)
    threads = {"asked": reading.n_threads_asked, "in force": reading.n_threads}
    yield _gauges("threads", "Processor threads of the engine.", "state", threads)


def _of_cache(reading: Reading) -> Iterator[Metric]:
    free = reading.cells_total - reading.cells_held
    cells = {"used": reading.cells_used, "fragmented": reading.cells_fragmented, "free": free}
    yield _gauges("kv_cells", "Tokens that the cache of keys and values has room for.", "state", cells)


def _of_memory(reading: Reading) -> Iterator[Metric]:
    parts = {
        "weights": reading.weight_bytes,
        "kv": reading.kv_bytes,
        "saved": reading.saved_bytes,
        "process": reading.process_bytes,
    }
    yield _gauges("memory_bytes", "Memory; the process holds the parts that are not on a GPU.", "part", parts)
    traffic = reading.traffic_bytes
    yield CounterMetricFamily(f"{_PREFIX}_traffic_bytes", "Memory gone through by steps, estimated.", value=traffic)
    peak = reading.peak_bytes_per_s
    yield GaugeMetricFamily(f"{_PREFIX}_peak_bytes_per_second", "Fastest reading of memory measured.", value=peak)
    spent = reading.process_cpu_s
    yield CounterMetricFamily(f"{_PREFIX}_processor_seconds", "Time of all processors taken.", value=spent)


def _counters(name: str, about: str, label: str, values: dict[str, float] | dict[str, int]) -> Metric:
    family = CounterMetricFamily(f"{_PREFIX}_{name}", about, labels=(label,))
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _gauges(name: str, about: str, label: str, values: dict[str, float] | dict[str, int]) -> Metric:
    family = GaugeMetricFamily(f"{_PREFIX}_{name}", about, labels=(label,))
    for key, value in values.items():
        family.add_metric([key], value)
    return family

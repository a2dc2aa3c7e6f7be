"""The text for Prometheus: names, labels and values are promised."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from codeassistd.metrics.reading import DraftSum, Reading
from codeassistd.metrics.registry import Registry
from codeassistd.metrics.spans import Outcome, Source, Span, SpanLog
from codeassistd.metrics.work import WorkCount


def samples(registry: Registry) -> dict[str, float]:
    """Each sample by its name with its labels, as they would be written."""
    found = {}
    for family in text_string_to_metric_families(registry.text()):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def shown(**more: object) -> Span:
    span = Span("1", "automatic", "python", Outcome.SHOWN, source=Source.ENGINE, ttft_ms=50.0, total_ms=200.0)
    for name, value in more.items():
        setattr(span, name, value)
    return span


def test_a_request_is_counted_by_its_trigger_and_outcome() -> None:
    """What users wait for: the whole, the first token, and each further one."""
    registry = Registry()
    log = SpanLog(listener=registry)
    log.add(shown(tpot_ms=12.0, queue_ms=3.0, n_prompt=100, n_cached=75))
    log.add(Span("2", "invoked", "python", Outcome.EMPTY, total_ms=700.0))

    found = samples(registry)

    assert 1.0 == found["codeassistd_request_seconds_count{outcome=shown,trigger=automatic}"]
    assert 0.2 == found["codeassistd_request_seconds_sum{outcome=shown,trigger=automatic}"]
    assert 0.7 == found["codeassistd_request_seconds_sum{outcome=empty,trigger=invoked}"]
    assert 0.05 == found["codeassistd_time_to_first_token_seconds_sum{outcome=shown,trigger=automatic}"]
    assert 0.012 == found["codeassistd_time_per_token_seconds_sum{outcome=shown,trigger=automatic}"]
    assert 0.003 == found["codeassistd_queue_seconds_sum{trigger=automatic}"]
    assert (75.0, 25.0) == (
        found["codeassistd_request_prompt_tokens_total{origin=cache}"],
        found["codeassistd_request_prompt_tokens_total{origin=read}"],
    )
    assert 1.0 == found["codeassistd_suggestions_total{source=engine}"]
    assert "codeassistd_queue_seconds_count{trigger=invoked}" not in found


def test_what_the_engine_tells_late_is_counted_once() -> None:
    """A request has its answer before the engine has let go of it; its figures fall in later."""
    registry = Registry()
    log = SpanLog(listener=registry)
    span = shown(is_measured=False)
    log.add(span)
    assert "codeassistd_queue_seconds_count{trigger=automatic}" not in samples(registry)
    span.queue_ms, span.n_prompt = 40.0, 10
    log.measured(span)

    found = samples(registry)

    assert (1.0, 1.0) == (
        found["codeassistd_queue_seconds_count{trigger=automatic}"],
        found["codeassistd_request_seconds_count{outcome=shown,trigger=automatic}"],
    )


def test_an_accepted_suggestion_counts_once() -> None:
    """Editors may tell of one acceptance twice, and of ids that are long gone."""
    registry = Registry()
    log = SpanLog(listener=registry)
    log.add(shown())
    for identity in ("1", "1", "unknown"):
        log.accepted(identity)

    assert 1.0 == samples(registry)["codeassistd_accepted_suggestions_total"]


def test_engine_and_memory_are_read_when_somebody_asks() -> None:
    """Nothing of it is kept, so it costs no step anything."""
    work = WorkCount()
    work.step(n_rows=2, n_read=0, row_depth=100.0, read_depth=0.0, took_s=0.5)
    work.step(n_rows=0, n_read=600, row_depth=0.0, read_depth=40.0, took_s=1.5)
    reading = Reading(
        n_running=1,
        n_waiting=2,
        work=work.shown(),
        n_output=7,
        drafts=(DraftSum("lookup", 10, 4),),
        n_preempted=3,
        cancel_ms_p99=4.0,
        cells_used=30,
        cells_held=100,
        cells_total=400,
        weight_bytes=1000,
        kv_bytes=800,
        process_bytes=5000,
    )

    found = samples(Registry(lambda: reading))

    assert (1.5, 0.5) == tuple(found[f"codeassistd_step_seconds_total{{work={work}}}"] for work in ("read", "write"))
    assert (0.0, 1.0, 1.0, 2.0) == tuple(
        found[f"codeassistd_step_tokens_bucket{{le={limit}}}"] for limit in ("1.0", "2.0", "512.0", "+Inf")
    )
    assert (4.0, 6.0) == tuple(
        found[f"codeassistd_draft_tokens_total{{drafter=lookup,verdict={verdict}}}"]
        for verdict in ("accepted", "refused")
    )
    assert (3.0, 0.004) == (
        found["codeassistd_preemptions_total"],
        found["codeassistd_cancel_to_idle_seconds{quantile=0.99}"],
    )
    assert (30.0, 70.0, 300.0) == tuple(
        found[f"codeassistd_kv_cells{{state={state}}}"] for state in ("used", "fragmented", "free")
    )
    assert (1.0, 2.0) == tuple(found[f"codeassistd_sequences{{state={state}}}"] for state in ("running", "waiting"))
    assert (1000.0, 5000.0) == tuple(
        found[f"codeassistd_memory_bytes{{part={part}}}"] for part in ("weights", "process")
    )
    # Two steps over all weights, and two rows that look back at 100 cells, and one reading at 40, of 2 bytes each.
    assert 2 * 1000 + 240 * 2.0 == found["codeassistd_traffic_bytes_total"]
    assert 7.0 == found["codeassistd_tokens_total{kind=written}"]


def test_two_registries_count_apart() -> None:
    """Two daemons can live in one process."""
    one, other = Registry(), Registry()
    SpanLog(listener=one).add(shown())

    assert "codeassistd_suggestions_total{source=engine}" not in samples(other)

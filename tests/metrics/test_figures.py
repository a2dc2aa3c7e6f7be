"""The main figures: exact values of readings and requests that are written out."""

from __future__ import annotations

from codeassistd.metrics.figures import Figures, figures_of, request_rows
from codeassistd.metrics.reading import DraftSum, Reading
from codeassistd.metrics.spans import Outcome, Source, Span
from codeassistd.metrics.work import Work


def answered(total_ms: float, outcome: Outcome = Outcome.SHOWN, **more: object) -> Span:
    span = Span("1", "automatic", "python", outcome, source=Source.ENGINE, total_ms=total_ms)
    for name, value in more.items():
        setattr(span, name, value)
    return span


def test_without_anything_nothing_is_claimed() -> None:
    """None is not 0: a daemon that has not worked yet is neither slow nor fast."""
    assert Figures() == figures_of(Reading(), Reading(), [])


def test_what_users_wait_for_is_made_of_requests_that_were_waited_for() -> None:
    """A request that was taken back says nothing of how long people wait; shares are of the engine's answers alone."""
    spans = [
        answered(100.0, queue_ms=10.0, prefill_ms=50.0, tpot_ms=5.0, n_output=5, ttft_ms=70.0),
        answered(300.0, Outcome.EMPTY, queue_ms=30.0, prefill_ms=150.0, tpot_ms=15.0, n_output=5, ttft_ms=190.0),
        answered(9000.0, Outcome.CANCELLED, queue_ms=9000.0),
        Span("4", "automatic", "python", Outcome.SHOWN, source=Source.CACHE, total_ms=2.0),
    ]

    user = figures_of(Reading(), Reading(), spans).user

    assert (4, 0.5, 2) == (user.n_requests, user.show_rate, user.n_waited)
    assert (100.0, 260.0) == (user.total_ms_p50, user.total_ms_p90)
    assert (130.0, 10.0) == (user.ttft_ms_p50, user.tpot_ms_p50)
    assert (0.1, 0.5, 0.2) == (user.queue_share, user.prefill_share, user.decode_share)


def test_chats_have_figures_of_their_own() -> None:
    """Their answers are read as they come, and take as long as they are long."""
    chat = Span("9", "chat", "", Outcome.SHOWN, source=Source.ENGINE, ttft_ms=900.0, tpot_ms=30.0, total_ms=20_000.0)

    user = figures_of(Reading(), Reading(), [answered(100.0), chat]).user

    assert (1, 100.0, None) == (user.n_requests, user.total_ms_p90, user.ttft_ms_p50)
    assert (1, 900.0, 900.0, 30.0) == (
        user.n_chats,
        user.chat_ttft_ms_p50,
        user.chat_ttft_ms_p90,
        user.chat_tpot_ms_p50,
    )


def test_what_the_engine_has_not_told_yet_has_no_part_in_the_shares() -> None:
    """Until it has, its times are 0, which would look like the fastest engine of all."""
    user = figures_of(Reading(), Reading(), [answered(100.0, is_measured=False)]).user

    assert (0, None) == (user.n_waited, user.prefill_share)


def test_the_system_is_what_happened_between_two_readings() -> None:
    """Work by the time at work, the device by the time that passed."""
    before = Reading(at_s=100.0, work=Work(n_writes=10, n_rows=10), n_prompt=1000, n_cached=1000)
    now = Reading(
        at_s=110.0,
        work=Work(n_reads=5, n_writes=15, n_rows=30, n_read=180, read_s=1.0, write_s=3.0),
        n_prompt=1400,
        n_cached=1300,
        drafts=(DraftSum("lookup", 8, 2), DraftSum("proposal", 12, 8)),
        n_threads=1,
        n_threads_asked=2,
    )

    system = figures_of(now, before, [answered(1.0, queue_ms=10.0), answered(1.0, queue_ms=20.0)]).system

    assert (20.0, 50.0, 0.75) == (system.step_tokens, system.tokens_per_s, system.prefix_reuse)
    assert (0.4, 0.25) == (system.device_share, system.read_share)
    assert (20, 0.5) == (system.n_drafted, system.draft_acceptance)
    assert (15.0, 0.0) == (system.queue_ms_p50, system.without_engine_share)
    assert (1, 2) == (system.n_threads, system.n_threads_asked)


def test_suggestions_without_the_engine_are_those_of_the_caches() -> None:
    """Typed along, kept, or worked out ahead: all of them spared the engine."""
    spans = [Span(str(source), "automatic", "python", Outcome.SHOWN, source=source) for source in list(Source)[1:]]

    assert 0.75 == figures_of(Reading(), Reading(), spans).system.without_engine_share


def test_resources_are_shares_of_what_there_is() -> None:
    """Bandwidth is reckoned of the steps that write: all weights once a step, and the cells that are looked back at."""
    now = Reading(
        at_s=10.0,
        work=Work(n_reads=9, n_writes=4, n_rows=4, n_write_held=100.0, read_s=7.0, write_s=2.0),
        cells_used=30,
        cells_held=200,
        cells_total=400,
        weight_bytes=1000,
        kv_bytes=4000,
        process_cpu_s=5.0,
        machine_cpu_s=15.0,
        n_processors=2,
        peak_bytes_per_s=10_000.0,
    )

    own = figures_of(now, Reading(), []).resources

    assert (0.075, 0.425) == (own.kv_used_share, own.kv_fragmented_share)
    assert (2500.0, 0.25) == (own.bandwidth_bytes_per_s, own.bandwidth_share)
    assert 0.5 == own.others_share


def test_figures_as_a_table_have_their_layer_and_name() -> None:
    """The form of `status --json`."""
    table = figures_of(Reading(), Reading(), [answered(1 / 3)]).as_table()

    assert ["user", "system", "resources"] == list(table)
    assert (1, 0.3333, None) == tuple(table["user"][name] for name in ("n_requests", "total_ms_p50", "ttft_ms_p50"))


def test_requests_are_listed_by_trigger_and_outcome() -> None:
    """One row for each that occurred, in a fixed order."""
    rows = request_rows([answered(30.0, tpot_ms=2.0), answered(10.0), answered(20.0, Outcome.CANCELLED)])

    assert [
        {
            "trigger": "automatic",
            "outcome": "cancelled",
            "n_requests": 1,
            "ttft_ms_p50": None,
            "ttft_ms_p90": None,
            "tpot_ms_p50": None,
            "tpot_ms_p90": None,
            "total_ms_p50": 20.0,
            "total_ms_p90": 20.0,
        },
        {
            "trigger": "automatic",
            "outcome": "shown",
            "n_requests": 2,
            "ttft_ms_p50": None,
            "ttft_ms_p90": None,
            "tpot_ms_p50": 2.0,
            "tpot_ms_p90": 2.0,
            "total_ms_p50": 20.0,
            "total_ms_p90": 28.0,
        },
    ] == rows

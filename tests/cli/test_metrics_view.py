"""The screen of `metrics`, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from codeassistd.cli.metrics_view import History, screen
from codeassistd.metrics.figures import Figures, ResourceFigures, SystemFigures, UserFigures

GIB, MIB = 2**30, 2**20


def answer(figures: Figures, newest_ms: tuple[float, ...] = (), remedy: str = "") -> Mapping[str, Any]:
    finding = {"limit": "prefill", "sentence": "reading prompts: 70% of the waiting", "remedy": remedy}
    return {"figures": figures.as_table(), "requests": [], "bottleneck": finding, "newest_ms": list(newest_ms)}


def lines(answer: Mapping[str, Any], history: History | None = None, *, is_plain: bool = False) -> list[str]:
    return [line.plain.rstrip() for line in screen(answer, history or History(), is_plain=is_plain)]


BUSY = Figures(
    UserFigures(
        n_requests=200,
        show_rate=0.48,
        total_ms_p50=38.2,
        total_ms_p90=12_345.6,
        ttft_ms_p50=120.4,
        ttft_ms_p90=1400.0,
        n_waited=80,
        queue_share=0.125,
        prefill_share=0.5,
        decode_share=0.25,
    ),
    SystemFigures(
        queue_ms_p50=1.0,
        queue_ms_p90=30.0,
        n_running=2,
        n_waiting=1,
        n_slots=4,
        step_tokens=12.3,
        tokens_per_s=412.0,
        read_tokens_per_s=529.0,
        write_ms=12.5,
        prefix_reuse=0.96,
        n_drafted=1203,
        draft_acceptance=0.45,
        without_engine_share=0.61,
        n_preempted=3,
        cancel_ms_p50=1.3,
        cancel_ms_p99=5.5,
        device="cpu",
        device_share=0.4,
        n_threads=1,
        n_threads_asked=2,
    ),
    ResourceFigures(
        weight_bytes=86 * MIB,
        kv_bytes=360 * MIB,
        saved_bytes=14 * MIB,
        process_bytes=646 * MIB,
        free_bytes=12 * GIB,
        machine_bytes=24 * GIB,
        kv_used_share=0.25,
        kv_fragmented_share=0.5,
        bandwidth_bytes_per_s=6.1e9,
        peak_bytes_per_s=14.2e9,
        bandwidth_share=0.43,
        others_share=0.1,
    ),
)


def test_every_figure_has_its_place() -> None:
    """The whole screen, as it stands where nothing moves."""
    assert [
        "requests        200 newest, 48% with a suggestion",
        "  to the answer p50   38.2 ms   p90    12.3 s   ▆█",
        "  first token   p50    120 ms   p90   1400 ms",
        "  each token    p50         -   p90         -",
        "  waiting       ███▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░    queue 12%, reading 50%, writing 25%",
        "",
        "engine          cpu, 1 of 2 threads; 2 running, 1 waiting, 4 slots",
        "  at work             40% of the time",
        "  throughput          412 tokens/s at work, 12.3 a step",
        "  by itself     reads 529 tokens/s, writes a token in 12.5 ms",
        "  queue         p50    1.0 ms   p90   30.0 ms   3 preempted",
        "  cancels       p50    1.3 ms   p99    5.5 ms",
        "  spared        96% of prompts reused, 45% of 1203 guesses, 61% of answers",
        "",
        "memory          12.0 GiB of 24.0 GiB free; others take 10% of the processor",
        "  process         646 MiB",
        "  of it         weights 86 MiB, cache 360 MiB, saved 14 MiB",
        "  cells         ██████░░░░░░░░░░░░       25% used, 50% held empty",
        "  bandwidth      6.1 GB/s of 14.2 GB/s (43%)",
        "",
        "limit           reading prompts: 70% of the waiting",
        "                lower context.max_tokens",
    ] == lines(answer(BUSY, (50.0, 80.0), "lower context.max_tokens"))


def test_chats_have_a_line_where_there_were_any() -> None:
    """Their first token and the pace after it."""
    figures = Figures(UserFigures(n_chats=2, chat_ttft_ms_p50=1500.0, chat_ttft_ms_p90=20_000.0, chat_tpot_ms_p50=25.0))

    assert "  chat's first  p50   1500 ms   p90    20.0 s   then 25.0 ms a token" in lines(answer(figures))


def test_it_fits_into_the_smallest_terminal() -> None:
    """80 by 24: nothing wraps and nothing scrolls, whatever the remedy says."""
    shown = lines(answer(replace(BUSY, user=replace(BUSY.user, n_chats=3)), tuple(range(200)), "word " * 40))

    assert (True, True) == (len(shown) <= 24, max(map(len, shown)) <= 79)


def test_what_is_not_known_is_a_dash() -> None:
    """A daemon that has just begun shows no zeros that look like measurements."""
    shown = lines(answer(Figures()))

    assert "  to the answer p50         -   p90         -" in shown
    assert "  waiting       -" in shown
    assert "engine          no model; 0 running, 0 waiting, 0 slots" in shown


def test_a_moving_screen_looks_back() -> None:
    """Each period adds to the sparklines; the oldest values leave."""
    history = History()
    for share in (0.0, 0.2, 0.4):
        table = BUSY.as_table()
        table["system"]["device_share"] = share
        history.add(table)

    shown = lines(answer(BUSY), history)

    assert "  at work             40% of the time   ▁▅█" in shown
    assert "  process         646 MiB   ███" in shown


def test_plain_letters_for_a_terminal_that_knows_no_others() -> None:
    """Nothing beyond ASCII is left on the screen."""
    assert all(line.isascii() for line in lines(answer(BUSY, (1.0, 2.0)), is_plain=True))

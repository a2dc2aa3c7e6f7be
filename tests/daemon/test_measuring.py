"""What is read off engine, process and machine, and when main memory is measured."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import psutil
import pytest

from codeassistd.clock import Clock
from codeassistd.daemon import measuring as module
from codeassistd.daemon.measuring import Measuring
from codeassistd.engine.engine import Engine
from codeassistd.metrics.reading import Reading
from codeassistd.metrics.spans import Outcome, Span, SpanLog
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from tests.support.engines import answer_of, request, settled


class Scene:
    """Metrics over an engine with a scripted model."""

    def __init__(self) -> None:
        self.clock, self.spans = FakeClock(), SpanLog()
        self.engine = Engine(FakeBackend().load, self.clock)
        self.measuring = Measuring(self.engine, self.spans, self.clock)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    made = Scene()
    made.engine.start()
    settled(made.engine)
    yield made
    made.engine.stop()


async def test_a_reading_has_engine_process_and_machine(scene: Scene) -> None:
    """What the engine has done by then, and sizes that cannot be nothing."""
    await answer_of(scene.engine.submit(request("abcdef")))
    reading = scene.measuring.reading()

    assert ("fake", 4, 1 << 20) == (reading.device, reading.n_slots, reading.weight_bytes)
    assert (6, True) == (reading.n_prompt, reading.work.n_steps > 0)
    assert reading.work.n_read >= 6
    assert reading.process_bytes > 0
    assert 0 < reading.free_bytes <= reading.machine_bytes
    assert psutil.cpu_count() == reading.n_processors


async def test_figures_are_of_the_time_since_the_start_or_since_an_earlier_reading(scene: Scene) -> None:
    """And of the newest requests in any case."""
    await answer_of(scene.engine.submit(request("abcdef")))
    before = scene.measuring.reading()
    scene.spans.add(Span("1", "automatic", "python", Outcome.SHOWN, total_ms=5.0))

    whole, since = scene.measuring.figures(), scene.measuring.figures(before=before)

    assert (True, None) == (whole.system.step_tokens is not None, since.system.step_tokens)
    assert (5.0, 5.0) == (whole.user.total_ms_p50, since.user.total_ms_p50)


async def test_requests_are_counted_from_the_first_one_on(scene: Scene) -> None:
    """The registry hears of each span by itself."""
    scene.spans.add(Span("1", "automatic", "python", Outcome.SHOWN, total_ms=5.0))

    expected = 'codeassistd_request_seconds_count{outcome="shown",trigger="automatic"} 1.0'
    assert expected in scene.measuring.registry.text()


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        pytest.param(Reading(device="cpu", n_threads_asked=2), [2], id="on an idle processor, with its threads"),
        pytest.param(Reading(device="cpu", n_running=1), [], id="not while somebody waits"),
        pytest.param(Reading(device="cpu", n_waiting=1), [], id="nor while somebody is queued"),
        pytest.param(Reading(device="cpu", free_bytes=1 << 28), [1], id="where memory is left for it"),
        pytest.param(Reading(device="cpu", free_bytes=1 << 27), [], id="not where there is hardly any left"),
        pytest.param(Reading(device="gpu"), [], id="a GPU has a memory of its own"),
        pytest.param(Reading(), [], id="without a model nobody needs it"),
    ],
)
async def test_memory_is_measured_once_where_it_matters(
    monkeypatch: pytest.MonkeyPatch, reading: Reading, expected: list[int]
) -> None:
    """It takes a fifth of a second of all threads, so it waits for an idle moment and is never done again."""
    asked: list[int] = []

    def measure(n_threads: int, clock: Clock) -> float:
        del clock
        asked.append(n_threads)
        return 9e9

    scene = Scene()
    monkeypatch.setattr(module, "memory_bytes_per_s", measure)
    monkeypatch.setattr(scene.measuring, "reading", lambda: replace(reading))
    await asyncio.gather(scene.measuring.measure_memory(), scene.measuring.measure_memory())
    await scene.measuring.measure_memory()

    assert expected == asked

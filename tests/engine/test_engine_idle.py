"""The model is unloaded when nothing is asked for long, and loaded again when something is."""

from __future__ import annotations

import gc
from pathlib import Path

import psutil
import pytest

from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState
from codeassistd.errors import NotReadyError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, settled, wait_until
from tests.support.model import model_file

SOON_S = 0.02
PROMPT = "x = 1\n" * 40


def started(backend: FakeBackend, options: EngineOptions) -> Engine:
    engine = Engine(backend.load, options=options)
    engine.start()
    settled(engine)
    return engine


def unloaded(engine: Engine) -> None:
    wait_until(lambda: engine.status().state is EngineState.UNLOADED, "the unload")


async def test_an_idle_model_is_unloaded_and_loaded_again() -> None:
    """A request in between is refused as while loading, and starts the load; the next one is answered."""
    backend = FakeBackend(FakeScript(default="answer"))
    engine = started(backend, EngineOptions(idle_unload_s=SOON_S))
    unloaded(engine)
    assert engine.vocabulary is None
    wait_until(lambda: backend.n_closed == 1, "the memory to be given back")
    backend.load_gate.clear()
    with pytest.raises(NotReadyError, match="the model is being loaded"):
        engine.submit(request(PROMPT))
    wait_until(lambda: engine.status().state is EngineState.LOADING, "the load")
    with pytest.raises(NotReadyError, match="the model is being loaded"):
        engine.submit(request(PROMPT))
    backend.load_gate.set()
    settled(engine)
    # It may be idle again by now: whoever wants an answer asks until the model is there.
    generation = None
    while generation is None:
        try:
            generation = engine.submit(request(PROMPT))
        except NotReadyError:
            settled(engine)
    assert "answer" == (await answer_of(generation)).text
    engine.stop()
    assert [] == backend.violations


async def test_waking_loads_once() -> None:
    """However often it is asked for."""
    backend = FakeBackend()
    loads = []

    def load(progress: object) -> FakeBackend:
        loads.append(progress)
        return backend.load(lambda _share: True)

    engine = Engine(load, options=EngineOptions(idle_unload_s=SOON_S))
    engine.start()
    unloaded(engine)
    backend.load_gate.clear()
    for _ in range(5):
        engine.wake()
    wait_until(lambda: engine.status().state is EngineState.LOADING, "the load")
    engine.wake()
    backend.load_gate.set()
    wait_until(lambda: engine.status().state is not EngineState.LOADING, "the end of the load")
    assert 2 == len(loads)
    engine.stop()


async def test_what_works_is_not_unloaded() -> None:
    """A long generation is no idleness, however short the time is set."""
    backend = FakeBackend(FakeScript(default="a" * 300), step_s=0.001)
    engine = started(backend, EngineOptions(idle_unload_s=0.0001))
    generation = None
    while generation is None:
        try:
            generation = engine.submit(request("x", max_tokens=300))
        except NotReadyError:
            settled(engine)
    assert "a" * 300 == (await answer_of(generation)).text
    engine.stop()


async def test_the_prompts_come_back_with_the_model(tmp_path: Path) -> None:
    """They were saved before the unload, and are not read again after it."""
    backend = FakeBackend(FakeScript(default="answer"))
    limits = CacheLimits(disk_bytes=10**6, folder=tmp_path / "kv")
    engine = started(backend, EngineOptions(limits=limits))
    await answer_of(engine.submit(request(PROMPT)))
    engine.stop()
    engine = started(backend, EngineOptions(limits=limits))
    assert len(PROMPT) == (await answer_of(engine.submit(request(PROMPT + "y")))).ending.n_cached
    engine.stop()


def test_a_model_that_cannot_be_loaded_again_is_an_error() -> None:
    """The cause stands in the status, as at the first load."""
    backend = FakeBackend()
    engine = started(backend, EngineOptions(idle_unload_s=SOON_S))
    unloaded(engine)
    backend.load_error = "the file is gone"
    engine.wake()
    wait_until(lambda: engine.status().state is EngineState.FAILED, "the failed load")
    assert "the file is gone" == engine.status().detail
    engine.stop()


def test_it_can_be_stopped_while_unloaded() -> None:
    """And then stays so, whoever wakes it."""
    engine = started(FakeBackend(), EngineOptions(idle_unload_s=SOON_S))
    unloaded(engine)
    engine.stop()
    engine.wake()
    assert EngineState.STOPPED == engine.status().state


@pytest.mark.model
def test_the_memory_comes_back() -> None:
    """Of what the loaded model took, at most a tenth is left after the unload."""
    process = psutil.Process()
    factory = llama_factory(LlamaOptions(model_file(), n_ctx=2048, n_slots=4, n_batch=256, threads=1))
    factory(lambda _share: True).close()  # what the library keeps for ever is there from now on
    gc.collect()
    before = process.memory_info().rss
    engine = Engine(factory, options=EngineOptions(idle_unload_s=0.5))
    engine.start()
    assert EngineState.READY == settled(engine)
    loaded = process.memory_info().rss
    unloaded(engine)
    wait_until(lambda: process.memory_info().rss - before <= (loaded - before) / 10, "the memory to come back")
    engine.stop()

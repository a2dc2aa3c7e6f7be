"""The engine on the real starter model.

With quantised weights the shape of a batch can change a close choice, so these tests look at what is read, counted and
stopped, and not at the words.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from codeassistd.engine.backend import Backend, Batch, Logits
from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState, FinishReason, Priority
from tests.support.engines import answer_of, request, settled, wait_until
from tests.support.model import model_file

pytestmark = pytest.mark.model

CODE = '''import json
from pathlib import Path


def read_settings(path: Path) -> dict[str, str]:
    """Read the settings from a JSON file."""
    return json.loads(path.read_text())


def write_settings(path: Path, settings: dict[str, str]) -> None:
    """Write the settings to a JSON file."""
'''


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """The starter, loaded once for this file; one thread, since the tests share the machine."""
    engine = Engine(llama_factory(LlamaOptions(model_file(), n_ctx=2048, n_slots=4, n_batch=256, threads=1)))
    engine.start()
    assert EngineState.READY == settled(engine)
    yield engine
    engine.stop()


@pytest.fixture
async def idle(engine: Engine) -> AsyncIterator[Engine]:
    """It, with nothing left over from another test."""
    yield engine
    wait_until(lambda: engine.status().n_running + engine.status().n_waiting == 0, "an idle engine")


def ids(engine: Engine, text: str) -> list[int]:
    vocabulary = engine.vocabulary
    assert vocabulary is not None
    return vocabulary.tokenize(text)


async def test_it_writes_code(idle: Engine) -> None:
    """The most likely continuation of a plain case is what everyone would write."""
    prompt = ids(idle, "def add(a, b):\n    return")
    answer = await answer_of(idle.submit(request(prompt, max_tokens=4)))
    assert answer.text.startswith(" a + b")


async def test_only_new_tokens_are_read(idle: Engine) -> None:
    """Twenty letters typed in one place: each request reads no more than the last line anew."""
    line = "    path.write_text(json.dumps(settings))"
    n_stable = len(ids(idle, CODE)) - 1
    for n_typed in range(10, 30):
        prompt = ids(idle, CODE + line[:n_typed])
        answer = await answer_of(idle.submit(request(prompt, client="typist", max_tokens=2)))
        assert len(prompt) == answer.ending.n_prompt
        if n_typed > 10:
            assert answer.ending.n_cached >= n_stable


async def test_several_at_once_are_all_served(idle: Engine) -> None:
    """Four streams share the steps, each with text of its own and the figures of its own."""
    prompts = [ids(idle, f"# part {number}\ndef f{number}(x):\n    return x") for number in range(4)]
    asked = [request(prompt, client=f"c{number}", max_tokens=12) for number, prompt in enumerate(prompts)]
    answers = await asyncio.gather(*[answer_of(idle.submit(one)) for one in asked])
    assert [len(prompt) for prompt in prompts] == [answer.ending.n_prompt for answer in answers]
    assert all(answer.text and answer.reason is not FinishReason.ERROR for answer in answers)


async def test_probabilities_are_probabilities(idle: Engine) -> None:
    """Logarithms are not above 0, the margin of a greedy token is not negative."""
    tokens = [token async for token in idle.submit(request(ids(idle, CODE), max_tokens=8))]
    assert all(token.logprob <= 0.0 <= token.margin for token in tokens)


async def test_two_hundred_mixed_requests(idle: Engine) -> None:
    """Lengths, priorities, clients and cancels of all kinds: none fails, nothing stays."""
    rng = random.Random(5)
    failed = idle.status().n_failed

    async def one() -> FinishReason:
        text = CODE[: rng.randrange(1, 100)] + "x" * rng.randrange(20)
        generation = idle.submit(
            request(
                ids(idle, text),
                client=rng.choice("abcdef"),
                max_tokens=rng.choice([0, 1, 4]),
                priority=rng.choice(list(Priority)),
            )
        )
        if rng.random() < 0.3:
            generation.cancel()
        return (await answer_of(generation)).reason

    reasons: list[FinishReason] = []
    for _ in range(10):
        reasons += await asyncio.gather(*[one() for _ in range(20)])
    assert 200 == len(reasons)
    assert FinishReason.ERROR not in reasons
    assert failed == idle.status().n_failed


class Watched:
    """A backend that tells when a long step is under way."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.reading = threading.Event()
        self.n_interrupted = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._backend, name)

    def decode(self, batch: Batch) -> Logits | None:
        """Read, and say so where it takes long."""
        if len(batch) > 100:
            self.reading.set()
        rows = self._backend.decode(batch)
        self.reading.clear()
        self.n_interrupted += rows is None
        return rows


async def test_a_long_step_is_stopped_in_its_middle() -> None:
    """llama.cpp leaves the step; what was read before is used again, and the answer is that of a fresh cache."""
    watched: list[Watched] = []

    def load(progress: object) -> Watched:
        options = LlamaOptions(model_file(), n_ctx=2048, n_slots=1, n_batch=512, threads=1)
        watched.append(Watched(llama_factory(options)(progress)))  # type: ignore[arg-type]  # handed on
        return watched[0]

    # What was overwritten must be read again, and in one step, however slow the machine is.
    options = EngineOptions(step_ms=60_000.0, limits=CacheLimits(memory_bytes=0))
    engine = Engine(load, options=options)  # type: ignore[arg-type]  # a proxy
    engine.start()
    assert EngineState.READY == settled(engine)
    prompt = ids(engine, CODE * 12)[:250]
    fresh = await answer_of(engine.submit(request(prompt, client="a", max_tokens=3)))
    other = await answer_of(engine.submit(request(ids(engine, "x = 1"), client="b", max_tokens=1)))
    assert (0, 0) == (fresh.ending.n_cached, other.ending.n_cached)
    generation = engine.submit(request(prompt, client="a", max_tokens=3))
    wait_until(watched[0].reading.is_set, "the long step")
    generation.cancel()
    assert FinishReason.ABORTED == (await answer_of(generation)).reason
    again = await answer_of(engine.submit(request(prompt, client="a", max_tokens=3)))
    assert (1, 0) == (watched[0].n_interrupted, again.ending.n_cached)
    assert fresh.ids == again.ids
    engine.stop()

"""A recurrent model: its memory cannot be cut, so prompts go on from checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.request import EngineState
from codeassistd.testing.tiny_models import write_tiny_mamba
from tests.support.engines import answer_of, request, settled
from tests.support.states import run_once

PROMPT = list(b"def add(a, b):\n    return a + b\n" * 4)


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> LlamaOptions:
    """A tiny mamba with two slots."""
    path = write_tiny_mamba(tmp_path_factory.mktemp("models") / "mamba.gguf")
    return LlamaOptions(path, n_ctx=512, n_slots=2, n_batch=64, threads=1)


@pytest.fixture
def engine(options: LlamaOptions) -> Iterator[Engine]:
    """It, loaded."""
    engine = Engine(llama_factory(options))
    engine.start()
    assert EngineState.READY == settled(engine)
    yield engine
    engine.stop()


async def test_a_prompt_that_goes_on_reads_only_what_is_new(engine: Engine, options: LlamaOptions) -> None:
    """Also after the first one's answer, and with the very answer that a fresh engine gives."""
    longer = [*PROMPT, *b"\ndef sub("]
    await answer_of(engine.submit(request(PROMPT, max_tokens=8)))
    again = await answer_of(engine.submit(request(longer, max_tokens=8)))
    assert (len(PROMPT), 1) == (again.ending.n_cached, engine.status().n_restored)
    other = Engine(llama_factory(options))
    other.start()
    settled(other)
    fresh = await answer_of(other.submit(request(longer, max_tokens=8)))
    other.stop()
    assert (0, fresh.ids) == (fresh.ending.n_cached, again.ids)


async def test_a_prompt_that_turns_off_before_the_checkpoint_is_read_whole(engine: Engine) -> None:
    """There is nothing between that it could go on from."""
    await answer_of(engine.submit(request(PROMPT, max_tokens=8)))
    turned = await answer_of(engine.submit(request([*PROMPT[:-1], 65, 66], max_tokens=8)))
    assert 0 == turned.ending.n_cached


async def test_a_checkpoint_outlives_the_engine(tmp_path: Path, options: LlamaOptions) -> None:
    """On disk, as any other state."""
    text = bytes(PROMPT).decode()
    await run_once(llama_factory(options), tmp_path / "kv", text)
    (again,) = await run_once(llama_factory(options), tmp_path / "kv", text + "more")
    assert len(PROMPT) == again.ending.n_cached

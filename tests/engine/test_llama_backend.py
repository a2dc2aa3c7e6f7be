"""The llama.cpp backend on a tiny model with random weights: positions, rows, cuts, and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from codeassistd.engine.backend import Batch
from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.request import EngineState
from codeassistd.errors import DecodeError, ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model
from tests.support.engines import answer_of, request, settled

TEXT = list(b"def add(a, b):\n    return a + b\n")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")


def load(path: Path, **options: object) -> LlamaBackend:
    settings = {"n_ctx": 256, "n_slots": 3, "n_batch": 64, "threads": 1} | options
    backend = llama_factory(LlamaOptions(path, **settings))(lambda _share: True)  # type: ignore[arg-type]  # any
    assert isinstance(backend, LlamaBackend)
    return backend


@pytest.fixture
def backend(tiny: Path) -> Iterator[LlamaBackend]:
    """It, loaded."""
    backend = load(tiny)
    yield backend
    backend.close()


def read(backend: LlamaBackend, tokens: list[int], *, sequence: int = 0, start: int = 0) -> np.ndarray:
    """Read `tokens` and give a copy of the scores after the last one."""
    n_tokens = len(tokens)
    positions = range(start, start + n_tokens)
    wanted = [False] * (n_tokens - 1) + [True]
    rows = backend.decode(Batch(tokens, positions, [sequence] * n_tokens, wanted))
    assert rows is not None
    assert (1, backend.info.n_vocab) == rows.shape
    return rows[0].copy()


def test_rows_come_in_the_order_of_the_batch(backend: LlamaBackend) -> None:
    """Several sequences of different lengths in one batch, not in the order of their ids: each row is its own."""
    alone = [read(backend, TEXT[:n_tokens]) for n_tokens in (3, 7, 1) if backend.remove(0, 0) == 0]
    backend.clear()
    batch = Batch(
        tokens=TEXT[:3] + TEXT[:7] + TEXT[:1],
        positions=[*range(3), *range(7), 0],
        sequences=[2] * 3 + [0] * 7 + [1],
        wanted=[False] * 2 + [True] + [False] * 6 + [True, True],
    )
    rows = backend.decode(batch)
    assert rows is not None
    for expected, row in zip(alone, rows, strict=True):
        np.testing.assert_allclose(expected, row, atol=1e-4)


def test_a_batch_without_wanted_rows(backend: LlamaBackend) -> None:
    """Reading without asking gives no rows, and the tokens are there for the next step."""
    expected = read(backend, TEXT)
    backend.clear()
    rows = backend.decode(Batch(TEXT[:-1], range(len(TEXT) - 1), [0] * (len(TEXT) - 1), [False] * (len(TEXT) - 1)))
    assert rows is not None
    assert (0, backend.info.n_vocab) == rows.shape
    np.testing.assert_allclose(expected, read(backend, TEXT[-1:], start=len(TEXT) - 1), atol=1e-4)


def test_a_cut_sequence_goes_on_like_a_fresh_one(backend: LlamaBackend) -> None:
    """After `remove` the cut tokens have no influence any more, and other sequences are untouched."""
    read(backend, TEXT)
    other = read(backend, TEXT[:5], sequence=1)
    assert 10 == backend.remove(0, 10)
    changed = read(backend, [120, 121, 122], start=10)
    backend.clear()
    np.testing.assert_allclose(read(backend, [*TEXT[:10], 120, 121, 122]), changed, atol=1e-4)
    np.testing.assert_allclose(read(backend, TEXT[:5], sequence=1), other, atol=1e-4)


def test_the_number_of_threads_changes_nothing_but_the_time(tiny: Path) -> None:
    """It can be set between any two steps."""
    backend = load(tiny, threads=2)
    assert 2 == backend.info.n_threads
    expected = read(backend, TEXT)
    backend.clear()
    read(backend, TEXT[:4])
    backend.set_threads(1)
    read(backend, TEXT[4:8], start=4)
    backend.set_threads(2)
    np.testing.assert_allclose(expected, read(backend, TEXT[8:], start=8), atol=1e-4)
    backend.close()


def test_an_interrupt_between_steps_does_nothing(backend: LlamaBackend) -> None:
    """Only a step that is under way is stopped."""
    expected = read(backend, TEXT)
    backend.clear()
    backend.interrupt()
    np.testing.assert_allclose(expected, read(backend, TEXT), atol=1e-4)


@pytest.mark.parametrize("n_tokens", [0, 65])
def test_batches_of_a_wrong_size_are_refused(backend: LlamaBackend, n_tokens: int) -> None:
    """llama.cpp would end the process over them."""
    columns = [0] * n_tokens
    with pytest.raises(DecodeError, match=f"a step of {n_tokens} tokens"):
        backend.decode(Batch(columns, range(n_tokens), columns, [False] * n_tokens))


def test_a_gap_in_the_positions_is_an_error(backend: LlamaBackend) -> None:
    """llama.cpp refuses such a batch; after a clear the backend works on."""
    read(backend, TEXT[:5])
    with pytest.raises(DecodeError, match="refused"):
        read(backend, TEXT[:5], start=9)
    backend.clear()
    read(backend, TEXT)


def test_what_is_asked_and_in_force_is_told(tiny: Path) -> None:
    """Both sides by name; the library's version too."""
    backend = load(tiny, threads=0, n_ctx=4096)
    info = backend.info
    backend.close()
    assert ("4096", "512") == (info.asked["n_ctx"], info.effective["n_ctx"])
    assert ("0", "auto") == (info.asked["threads"], info.asked["flash_attention"])
    assert info.effective["threads"] != "0"
    assert ("tiny", "llama") == (info.metadata["general.name"], info.metadata["general.architecture"])
    assert "0.3" in info.effective["llama_cpp"]


def test_nothing_of_its_log_reaches_the_terminal(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A load and a failed one write neither to stdout nor to stderr."""
    load(tiny).close()
    with pytest.raises(ModelLoadError):
        load(tiny.with_name("missing.gguf"))
    assert ("", "") == tuple(capfd.readouterr())


def test_a_load_can_be_given_up(tiny: Path) -> None:
    """A progress that answers False ends it with an error of its own."""
    with pytest.raises(ModelLoadError, match="given up"):
        llama_factory(LlamaOptions(tiny))(lambda _share: False)


async def test_the_same_text_alone_beside_others_and_from_the_cache(tiny: Path) -> None:
    """Greedy text depends on the prompt only: not on neighbours, on reuse, nor on how the prompt was cut."""
    prompts = [TEXT[: 5 + 3 * number] for number in range(6)]
    texts = []
    for n_batch, n_slots, at_once in ((512, 1, False), (16, 3, True), (64, 6, True)):
        engine = Engine(llama_factory(LlamaOptions(tiny, 256, n_slots, n_batch, threads=1)))
        engine.start()
        assert EngineState.READY == settled(engine)
        asked = [request(prompt, client=str(number), max_tokens=24) for number, prompt in enumerate(prompts)]
        for _ in range(2):  # the second time from a warm cache
            if at_once:
                answers = await asyncio.gather(*[answer_of(engine.submit(one)) for one in asked])
            else:
                answers = [await answer_of(engine.submit(one)) for one in asked]
            texts.append([answer.ids for answer in answers])
        assert engine.status().n_cached > 0
        engine.stop()
    assert [texts[0]] * 6 == texts

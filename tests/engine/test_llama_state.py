"""Saved states of the llama.cpp backend: what comes back is what was saved, and what is broken leaves nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from codeassistd.engine.backend import Batch, Logits
from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.testing.tiny_models import write_tiny_model

TEXT = list(b"def add(a, b):\n    return a + b\n")


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaBackend]:
    """A tiny model with three slots."""
    path = write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")
    backend = llama_factory(LlamaOptions(path, n_ctx=256, n_slots=3, n_batch=64, threads=1))(lambda _share: True)
    assert isinstance(backend, LlamaBackend)
    yield backend
    backend.close()


def read(backend: LlamaBackend, tokens: list[int], *, sequence: int, start: int = 0) -> Logits:
    """Read `tokens` and give a copy of the scores after the last one."""
    n_tokens = len(tokens)
    wanted = [False] * (n_tokens - 1) + [True]
    rows = backend.decode(Batch(tokens, range(start, start + n_tokens), [sequence] * n_tokens, wanted))
    assert rows is not None
    row: Logits = rows[0].copy()
    return row


def test_a_restored_sequence_goes_on_as_the_saved_one(backend: LlamaBackend) -> None:
    """Cut to a prefix and read on in another slot, it gives the very same scores."""
    backend.clear()
    read(backend, TEXT, sequence=0)
    state = backend.save(0)
    assert backend.restore(1, state)
    assert 10 == backend.remove(0, 10) == backend.remove(1, 10)
    np.testing.assert_array_equal(
        read(backend, TEXT[10:], sequence=0, start=10), read(backend, TEXT[10:], sequence=1, start=10)
    )


def test_a_restore_takes_the_place_of_what_was_there(backend: LlamaBackend) -> None:
    """A slot that held a longer text holds the saved one alone."""
    backend.clear()
    read(backend, TEXT[:12], sequence=0)
    state = backend.save(0)
    expected = read(backend, TEXT[12:], sequence=0, start=12)
    read(backend, [65] * 60, sequence=2)
    assert backend.restore(2, state)
    np.testing.assert_array_equal(expected, read(backend, TEXT[12:], sequence=2, start=12))


@pytest.mark.parametrize("n_left", [-1, 40, 8])
def test_a_cut_state_is_refused_and_leaves_the_slot_empty(backend: LlamaBackend, n_left: int) -> None:
    """Wherever it ends."""
    backend.clear()
    expected = read(backend, TEXT, sequence=0)
    state = bytes(backend.save(0))
    assert not backend.restore(1, state[:n_left])
    np.testing.assert_array_equal(expected, read(backend, TEXT, sequence=1))


def test_the_size_says_what_a_token_costs(backend: LlamaBackend) -> None:
    """Two tokens more cost twice what one more does: 32 wide keys and values of two bytes and the cell's place."""
    backend.clear()
    sizes = []
    for n_tokens in (8, 9, 10):
        read(backend, TEXT[:n_tokens], sequence=n_tokens - 8)
        sizes.append(len(backend.save(n_tokens - 8)))
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]
    assert 128 <= sizes[1] - sizes[0] < 160
    assert backend.can_cut

"""llama.cpp's chain of samplers on the starter's vocabulary, with scores that are made up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from codeassistd.engine.backend import Backend, Logits
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.request import SamplingParams
from codeassistd.errors import EngineError
from tests.support.model import model_file

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    """The starter."""
    backend = llama_factory(LlamaOptions(model_file(), n_ctx=256, n_slots=1, n_batch=64, threads=1))(
        lambda _share: True
    )
    yield backend
    backend.close()


def scores(backend: Backend, **by_text: float) -> Logits:
    """A row in which only the named one-token texts have a chance."""
    row = np.full(backend.info.n_vocab, -50.0, dtype=np.float32)
    for text, score in by_text.items():
        (token,) = backend.vocabulary.tokenize(text)
        row[token] = score
    return row


def chosen(backend: Backend, params: SamplingParams, row: Logits, n_times: int) -> list[str]:
    sampler = backend.sampler(params)
    tokens = [sampler.choose(row) for _ in range(n_times)]
    sampler.close()
    return [backend.vocabulary.token_bytes(token).decode() for token in tokens if token is not None]


def test_top_k_cuts_all_but_the_best(backend: Backend) -> None:
    """Draws come from so many tokens, by their chance, and a seed repeats them."""
    row = scores(backend, a=2.0, b=1.9, c=1.8)
    drawn = chosen(backend, SamplingParams(temperature=1.0, top_k=2, seed=4), row, 60)
    assert {"a", "b"} == set(drawn)
    assert drawn == chosen(backend, SamplingParams(temperature=1.0, top_k=2, seed=4), row, 60)


@pytest.mark.parametrize(
    "params", [SamplingParams(temperature=1.0, top_p=0.6), SamplingParams(temperature=1.0, min_p=0.5)]
)
def test_shares_cut_what_is_unlikely(backend: Backend, params: SamplingParams) -> None:
    """`a` has two thirds of the probability and twice that of the next one."""
    row = scores(backend, a=2.0, b=0.6, c=0.6)
    assert {"a"} == set(chosen(backend, params, row, 40))


def test_a_penalty_makes_a_repeated_token_less_likely(backend: Backend) -> None:
    """Greedy would say `a` for ever; what was said loses to what was not."""
    row = scores(backend, a=2.0, b=1.9)
    assert ["a", "a", "a"] == chosen(backend, SamplingParams(), row, 3)
    assert ["a", "b", "a", "a"] == chosen(backend, SamplingParams(repeat_penalty=1.2), row, 4)
    assert ["a", "b", "a", "b"] == chosen(backend, SamplingParams(repeat_penalty=1.2, repeat_window=1), row, 4)


def test_a_penalty_by_count_grows_and_one_by_presence_does_not(backend: Backend) -> None:
    """Half a point for each time that `a` was said, against half a point once: `b` is three quarters of one behind."""
    row = scores(backend, a=2.0, b=1.25)
    assert ["a", "a", "b", "a", "b"] == chosen(backend, SamplingParams(frequency_penalty=0.5), row, 5)
    assert ["a", "a", "a", "a", "a"] == chosen(backend, SamplingParams(presence_penalty=0.5), row, 5)
    assert ["a", "b", "a", "a", "a"] == chosen(backend, SamplingParams(presence_penalty=0.8), row, 5)


def test_a_grammar_allows_what_it_says_and_then_the_end(backend: Backend) -> None:
    """The best token that fits; behind the last one only an end of generation."""
    row = scores(backend, a=3.0, b=2.0, c=1.0)
    sampler = backend.sampler(SamplingParams(grammar='root ::= "c" "b"'))
    tokens = [sampler.choose(row) for _ in range(3)]
    sampler.close()
    assert all(token is not None for token in tokens)
    assert ["c", "b"] == [backend.vocabulary.token_bytes(token or 0).decode() for token in tokens[:2]]
    assert backend.vocabulary.is_stop(tokens[2] or 0)


def test_where_a_grammar_leaves_nothing_there_is_no_token(backend: Backend) -> None:
    """Scores of minus infinity stand for what nothing allows; the process goes on."""
    row = np.full(backend.info.n_vocab, -np.inf, dtype=np.float32)
    sampler = backend.sampler(SamplingParams(grammar='root ::= "a"'))
    assert sampler.choose(row) is None
    sampler.close()
    sampler.close()


@pytest.mark.parametrize("grammar", ["root ::= (", "other ::= [a]", "root ::= root [a]", "}{"])
def test_a_grammar_that_cannot_be_read_is_an_error(backend: Backend, grammar: str) -> None:
    """With one line; nothing is left behind."""
    with pytest.raises(EngineError, match="must be GBNF"):
        backend.sampler(SamplingParams(grammar=grammar))

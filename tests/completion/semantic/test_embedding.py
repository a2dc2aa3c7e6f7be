"""Vectors of code: by what it means to the model, with rare tokens ahead of common ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from codeassistd.completion.semantic.embedding import Embedder, likeness
from codeassistd.completion.semantic.vectors import HashedVectors, Matrix
from codeassistd.testing.fake_vocabulary import FakeVocabulary


class NamedVectors:
    """One dimension for each of a few letters."""

    width = 4

    def __init__(self) -> None:
        self.asked: list[int] = []

    def rows(self, tokens: Sequence[int]) -> Matrix:
        """Letters a to d have the four axes, in lengths of their own; all others have nothing."""
        self.asked += list(tokens)
        rows = np.zeros((len(tokens), 4), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            if ord("a") <= token <= ord("d"):
                row[token - ord("a")] = 1.0 + token
        return rows


def embedder() -> Embedder:
    return Embedder(FakeVocabulary(), NamedVectors())


def test_the_same_lines_are_alike_whatever_their_order() -> None:
    """And others less so, down to those that share nothing."""
    made = embedder()
    one, turned, half, other = (made.vector(lines) for lines in (["ab", "ab"], ["ba", "ab"], ["ac"], ["dd"]))
    assert pytest.approx(1.0, abs=0.02) == likeness(one, turned)
    assert pytest.approx(0.5, abs=0.05) == likeness(one, half)
    assert pytest.approx(0.0, abs=0.05) == likeness(one, other)


def test_what_is_met_often_counts_less() -> None:
    """After thousands of a, two texts are compared by their b and c."""
    made = embedder()
    before = likeness(made.vector(["ab"]), made.vector(["ac"]))
    for _ in range(100):
        made.learn(["a" * 1000])
    after = likeness(made.vector(["ab"]), made.vector(["ac"]))
    assert (pytest.approx(0.5, abs=0.05), pytest.approx(0.0, abs=0.05)) == (before, after)


def test_each_token_is_looked_up_once() -> None:
    """The file is not read again for what is known."""
    vectors = NamedVectors()
    made = Embedder(FakeVocabulary(), vectors)
    n_centre = len(vectors.asked)
    made.vector(["abab", "c"])
    made.vector(["cab"])
    assert sorted(b"abc") == sorted(vectors.asked[n_centre:])


def test_nothing_is_like_nothing() -> None:
    """No lines, tokens without a vector, and vectors of two models."""
    made = embedder()
    assert bytes(4) == made.vector([])
    assert 0.0 == likeness(made.vector([]), made.vector(["ab"]))
    assert 0.0 == likeness(made.vector(["ab"]), b"\x01" * 5)


def test_vectors_by_tokens_alone_are_the_same_in_every_process() -> None:
    """They are kept on disk."""
    rows = HashedVectors().rows([7, 300])
    assert (2, 256) == rows.shape
    assert [-1.0, -1.0, -1.0, -1.0, 1.0, -1.0] == rows[0][:6].tolist()
    assert [] == HashedVectors().rows([]).tolist()

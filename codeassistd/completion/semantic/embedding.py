"""The vector of a few lines of code: the weighted mean of the vectors of its tokens, of which rare ones count more.

Belongs to one thread. Bounded: so many lines and token vectors are remembered, the latter as 16-bit floats.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from codeassistd.completion.semantic.vectors import Matrix, TokenVectors
from codeassistd.engine.backend import Vocabulary

__all__ = ["Embedder", "likeness"]

_MAX_LINES = 4096
_MAX_ROW_BYTES = 16_000_000
#: A token that makes up this share of all text counts half of one that is hardly ever met. Without weights nearly all
#: places look alike (98 % above 0.9); with 1e-4 in place of this the order of several answers suffers.
_HALF_SHARE = 1e-3
#: Tokens that are taken as met before the first one, each of them once: little text says little about what is rare.
_N_ASSUMED = 20_000
#: Old text counts less than new: the counts are halved at so many tokens, which also bounds them.
_MAX_COUNTED = 2_000_000
_SCALE = 127
#: Tokens of the vocabulary whose mean is taken off all vectors: without that any two texts are alike.
_N_SAMPLED = 1024


class Embedder:
    """Makes vectors by one vocabulary."""

    def __init__(self, vocabulary: Vocabulary, vectors: TokenVectors) -> None:
        self.vocabulary = vocabulary
        self._vectors = vectors
        self._lines: OrderedDict[str, tuple[int, ...]] = OrderedDict()
        self._rows: dict[int, npt.NDArray[np.float16]] = {}
        self._centre = self._mean_row()
        self._max_rows = max(1, _MAX_ROW_BYTES // (2 * vectors.width))
        self._counts = Counter[int]()
        self._n_counted = 0

    def learn(self, lines: Iterable[str]) -> None:
        """Count the tokens of `lines`: what is met often says little."""
        tokens = [token for line in lines for token in self._tokens(line)]
        self._counts.update(tokens)
        self._n_counted += len(tokens)
        if self._n_counted > _MAX_COUNTED:
            self._counts = Counter({token: count // 2 for token, count in self._counts.items() if count > 1})
            self._n_counted = self._counts.total()

    def vector(self, lines: Iterable[str]) -> bytes:
        """The vector of `lines`, a signed byte for each dimension; all 0 where there is no token.

        Raises:
            NotReadyError: the model was unloaded.
            ModelLoadError: its vectors cannot be read.
        """
        counts = Counter(token for line in lines for token in self._tokens(line))
        if not counts:
            return bytes(self._vectors.width)
        tokens = list(counts)
        weights = np.array([counts[token] * self._weight(token) for token in tokens], dtype=np.float32)
        mean = weights @ self._matrix(tokens)
        largest = float(np.abs(mean).max())
        scaled = mean * (_SCALE / largest) if largest > 0.0 else mean
        vector: bytes = np.rint(scaled).astype(np.int8).tobytes()
        return vector

    def _weight(self, token: int) -> float:
        share = self._counts[token] / (self._n_counted + _N_ASSUMED)
        return _HALF_SHARE / (_HALF_SHARE + share)

    def _tokens(self, line: str) -> tuple[int, ...]:
        tokens = self._lines.get(line)
        if tokens is None:
            tokens = self._lines[line] = tuple(self.vocabulary.tokenize(line))
            if len(self._lines) > _MAX_LINES:
                self._lines.popitem(last=False)
        else:
            self._lines.move_to_end(line)
        return tokens

    def _mean_row(self) -> Matrix:
        """What all vectors have in common, by a sample that is the same in every process."""
        n_vocab = self.vocabulary.n_vocab
        rows = _unit(self._vectors.rows(range(0, n_vocab, max(1, n_vocab // _N_SAMPLED))))
        mean: Matrix = rows.mean(axis=0)
        return mean

    def _matrix(self, tokens: Sequence[int]) -> Matrix:
        """The vectors of `tokens` off the centre, at length 1: their own tells how often the model met them."""
        missing = [token for token in tokens if token not in self._rows]
        if missing:
            if len(self._rows) + len(missing) > self._max_rows:
                self._rows, missing = {}, list(tokens)
            rows = _unit(self._vectors.rows(missing)) - self._centre
            self._rows.update(zip(missing, rows.astype(np.float16), strict=True))
        return np.stack([self._rows[token] for token in tokens]).astype(np.float32)


def _unit(rows: Matrix) -> Matrix:
    """Rows at length 1, but for those that are nothing."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0.0] = 1.0
    unit: Matrix = (rows / lengths).astype(np.float32, copy=False)
    return unit


def likeness(left: bytes, right: bytes) -> float:
    """The cosine of two vectors, from -1 to 1; 0 where one says nothing or they are of different models."""
    if len(left) != len(right):
        return 0.0
    one, other = (np.frombuffer(vector, dtype=np.int8).astype(np.float32) for vector in (left, right))
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths > 0.0 else 0.0

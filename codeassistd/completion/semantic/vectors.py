"""Where the vectors of tokens come from: the model's own embedding, or, where that cannot be read, a stand-in."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["HashedVectors", "Matrix", "TokenVectors"]

Matrix = npt.NDArray[np.float32]

_HASHED_WIDTH = 256


class TokenVectors(Protocol):
    """A vector for each token of a vocabulary; slow, so that who uses it keeps what it gave."""

    @property
    def width(self) -> int:
        """Dimensions of a vector."""

    def rows(self, tokens: Sequence[int]) -> Matrix:
        """The vectors of `tokens`, in order: shape (n_tokens, width).

        Raises:
            ModelLoadError: they cannot be read.
        """


class HashedVectors:
    """For each token a direction of its own: texts are alike as far as they share tokens."""

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return _HASHED_WIDTH

    def rows(self, tokens: Sequence[int]) -> Matrix:
        """The vectors of `tokens`, of 1 and -1; the same in every process."""
        bits = b"".join(blake2b(b"%d" % token, digest_size=_HASHED_WIDTH // 8).digest() for token in tokens)
        drawn = np.unpackbits(np.frombuffer(bits, dtype=np.uint8)).reshape(len(tokens), _HASHED_WIDTH)
        return drawn.astype(np.float32) * 2 - 1

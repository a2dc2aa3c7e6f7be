"""The vectors that a model has for its tokens, read row by row from its file.

llama.cpp does not give them out. Nothing is mapped into memory: a file that is cut while it is open is an error here,
and not the end of the process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize

from codeassistd.engine.llama.header import read_header
from codeassistd.errors import ModelLoadError

__all__ = ["FileVectors"]

_NAME = "token_embd.weight"


class FileVectors:
    """The rows of one file's token embedding; each call reads from the disk."""

    def __init__(self, path: Path) -> None:
        """Find them in a GGUF file.

        Raises:
            ModelLoadError: the file cannot be read, or has none.
        """
        tensor = read_header(path).tensors.get(_NAME)
        if tensor is None or len(tensor.shape) != 2:  # noqa: PLR2004 - a row for each token
            raise ModelLoadError(f"{path} has no token embedding ({_NAME})")
        self._path = path
        self._tensor = tensor
        self._width, self._n_tokens = tensor.shape
        n_per_block, n_block_bytes = GGML_QUANT_SIZES[tensor.kind]
        self._row_bytes = self._width // n_per_block * n_block_bytes

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return self._width

    def rows(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """The vectors of `tokens`, in order: shape (n_tokens, width).

        Raises:
            ModelLoadError: they cannot be read (any more), or are in a format that is not known here.
        """
        if not all(0 <= token < self._n_tokens for token in tokens):
            raise ModelLoadError(f"{self._path} has {self._n_tokens} token vectors and not all that were asked for")
        try:
            data = self._read(tokens)
            rows = dequantize(data.reshape(len(tokens), self._row_bytes), self._tensor.kind)
        except OSError as error:
            raise ModelLoadError(f"{self._path} cannot be read: {error.strerror or error}") from error
        except (NotImplementedError, ValueError) as error:
            raise ModelLoadError(f"{self._path} has token vectors that cannot be read: {error}") from error
        return rows.astype(np.float32, copy=False)

    def _read(self, tokens: Sequence[int]) -> npt.NDArray[np.uint8]:
        rows = bytearray()
        with self._path.open("rb") as file:
            for token in tokens:
                file.seek(self._tensor.start + token * self._row_bytes, os.SEEK_SET)
                rows += file.read(self._row_bytes)
        return np.frombuffer(rows, dtype=np.uint8)

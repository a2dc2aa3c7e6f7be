"""The vectors of tokens, read from a model's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader

from codeassistd.engine.llama.quantise import FileType, requantise
from codeassistd.engine.llama.token_vectors import FileVectors
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import QWEN, TinyModel, write_tiny_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole and good file."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", TinyModel(QWEN))


def embedding(path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """The whole tensor as the gguf package reads it."""
    (tensor,) = [tensor for tensor in GGUFReader(path).tensors if tensor.name == "token_embd.weight"]
    return np.array(tensor.data)


def test_rows_are_those_of_the_file(tiny: Path) -> None:
    """In the order that was asked for, the same one twice."""
    vectors = FileVectors(tiny)
    whole = embedding(tiny)
    assert whole.shape[1] == vectors.width
    np.testing.assert_array_equal(whole[[5, 0, 5]], vectors.rows([5, 0, 5]))


def test_quantised_rows_are_spread_out(tiny: Path, tmp_path: Path) -> None:
    """Within what 8 or 4 bits can tell."""
    small = tmp_path / "small.gguf"
    requantise(tiny, small, FileType.Q4_0, 1)
    whole = embedding(tiny)
    largest = float(np.abs(whole).max())
    assert float(np.abs(FileVectors(small).rows(range(40)) - whole[:40]).max()) < 0.15 * largest


def test_what_cannot_be_read_is_one_line(tiny: Path, tmp_path: Path) -> None:
    """No file, a token that is none, and a file that is cut while it is open."""
    with pytest.raises(ModelLoadError, match="there is no model file"):
        FileVectors(tmp_path / "none.gguf")
    with pytest.raises(ModelLoadError, match="and not all that were asked for"):
        FileVectors(tiny).rows([10_000])
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(tiny.read_bytes())
    vectors = FileVectors(copy)
    copy.write_bytes(b"GGUF")
    with pytest.raises(ModelLoadError, match="cannot be read"):
        vectors.rows([5])
    copy.unlink()
    with pytest.raises(ModelLoadError, match="cannot be read"):
        vectors.rows([5])

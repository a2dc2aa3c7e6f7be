"""The head of a GGUF file: what it says it is, and how long the file must be.

Read before llama.cpp gets the file, so that a missing, foreign or cut file is told apart in one line. Nothing of the
weights is touched; arrays (the vocabulary) are skipped.
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from codeassistd.errors import ModelFileError, ModelLoadError

__all__ = ["Header", "Tensor", "read_header"]

Scalar = int | float | bool | str
Kind = TypeVar("Kind")

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_DEFAULT_ALIGNMENT = 32
_LAYER = re.compile(r"blk\.(\d+)\.")

_FORMATS: Mapping[GGUFValueType, str] = {
    GGUFValueType.UINT8: "<B",
    GGUFValueType.INT8: "<b",
    GGUFValueType.UINT16: "<H",
    GGUFValueType.INT16: "<h",
    GGUFValueType.UINT32: "<I",
    GGUFValueType.INT32: "<i",
    GGUFValueType.FLOAT32: "<f",
    GGUFValueType.BOOL: "<?",
    GGUFValueType.UINT64: "<Q",
    GGUFValueType.INT64: "<q",
    GGUFValueType.FLOAT64: "<d",
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where one tensor lies in its file.

    Attributes:
        shape: items in each dimension, the one that lies together first.
        start: bytes from the start of the file.
    """

    name: str
    kind: GGMLQuantizationType
    shape: tuple[int, ...]
    start: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says about itself.

    Attributes:
        metadata: its scalar values; arrays are left out.
        n_bytes: how long the file must be to hold all its tensors.
        n_weight_bytes: the tensors alone.
        n_vocab: tokens of its vocabulary; 0 if it has none.
        layer_bytes: the tensors of each layer, the first one first.
        tensors: by name.
    """

    metadata: Mapping[str, Scalar]
    n_bytes: int
    n_weight_bytes: int
    n_vocab: int = 0
    layer_bytes: tuple[int, ...] = ()
    tensors: Mapping[str, Tensor] = field(default_factory=dict)

    @property
    def architecture(self) -> str:
        """The family of models that it is of, such as `llama`."""
        return str(self.metadata.get("general.architecture", ""))

    def number(self, key: str, default: int = 0) -> int:
        """A whole number of this architecture, such as `block_count`."""
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        return value if isinstance(value, int) else default


class _CutError(Exception):
    """The file ends before its head does."""


class _DamagedError(Exception):
    """The head holds something that no GGUF file has."""


def read_header(path: Path) -> Header:
    """Read and check the head of a model file.

    Raises:
        ModelFileError: not a GGUF file, cut off, or damaged.
        ModelLoadError: no such file, or not readable.
    """
    try:
        with path.open("rb") as file:
            n_file = path.stat().st_size
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ModelFileError(f"{path} is not a GGUF file; give a model in that format")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header = _parse(_Reader(data))
    except FileNotFoundError:
        raise ModelLoadError(f"there is no model file at {path}; see `codeassistd model list`") from None
    except OSError as error:
        raise ModelLoadError(f"{path} cannot be read: {error.strerror or error}") from error
    except _CutError:
        raise ModelFileError(f"{path} is cut off inside its head; pull or copy it again") from None
    except _DamagedError as error:
        raise ModelFileError(f"{path} is damaged or of a newer format: {error}") from None
    if n_file < header.n_bytes:
        raise ModelFileError(
            f"{path} is cut off: it has {n_file} bytes, but its tensors need {header.n_bytes}; pull or copy it again"
        )
    return header


class _Reader:
    """A place in the head that moves on with each read."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.place = len(_MAGIC)

    def scalar(self, code: str) -> int | float | bool:
        try:
            (value,) = struct.unpack_from(code, self._data, self.place)
        except struct.error:
            raise _CutError from None
        self.place += struct.calcsize(code)
        number: int | float | bool = value
        return number

    def count(self, code: str = "<Q") -> int:
        return int(self.scalar(code))

    def text(self) -> str:
        n_bytes = self.count()
        self.skip(n_bytes)
        return self._data[self.place - n_bytes : self.place].decode("utf-8", "replace")

    def skip(self, n_bytes: int) -> None:
        self.place += n_bytes
        if self.place > len(self._data):
            raise _CutError


def _parse(reader: _Reader) -> Header:
    version = reader.count("<I")
    if version not in _VERSIONS:
        raise _DamagedError(f"version {version} is not one of {_VERSIONS}")
    n_tensors = reader.count()
    n_values = reader.count()
    metadata: dict[str, Scalar] = {}
    lengths: dict[str, int] = {}
    for _ in range(n_values):
        key = reader.text()
        kind = _known(GGUFValueType, reader.count("<I"))
        if kind is GGUFValueType.ARRAY:
            lengths[key] = _skip_array(reader)
        else:
            metadata[key] = reader.text() if kind is GGUFValueType.STRING else reader.scalar(_FORMATS[kind])
    # Counted from where the weights begin, which is not known before the head's end.
    tensors = [_tensor(reader) for _ in range(n_tensors)]
    n_weight_bytes = max((tensor.start + tensor.n_bytes for tensor in tensors), default=0)
    alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or alignment <= 0:
        raise _DamagedError(f"alignment {alignment}")
    start = -(-reader.place // alignment) * alignment
    n_vocab = lengths.get("tokenizer.ggml.tokens", 0)
    placed = {tensor.name: replace(tensor, start=start + tensor.start) for tensor in tensors}
    return Header(metadata, start + n_weight_bytes, n_weight_bytes, n_vocab, _layer_bytes(tensors), placed)


def _skip_array(reader: _Reader) -> int:
    """Pass over an array, and answer how many items it has."""
    item_kind = _known(GGUFValueType, reader.count("<I"))
    n_items = reader.count()
    if item_kind is GGUFValueType.ARRAY:
        raise _DamagedError("an array of arrays")
    if item_kind is GGUFValueType.STRING:
        for _ in range(n_items):
            reader.skip(reader.count())
    else:
        reader.skip(n_items * struct.calcsize(_FORMATS[item_kind]))
    return n_items


def _tensor(reader: _Reader) -> Tensor:
    name = reader.text()
    shape = tuple(reader.count() for _ in range(reader.count("<I")))
    kind = _known(GGMLQuantizationType, reader.count("<I"))
    offset = reader.count()
    n_per_block, n_block_bytes = GGML_QUANT_SIZES[kind]
    return Tensor(name, kind, shape, offset, math.prod(shape) // n_per_block * n_block_bytes)


def _layer_bytes(tensors: Iterable[Tensor]) -> tuple[int, ...]:
    sums: dict[int, int] = {}
    for tensor in tensors:
        layer = _LAYER.match(tensor.name)
        if layer is not None:
            sums[int(layer[1])] = sums.get(int(layer[1]), 0) + tensor.n_bytes
    return tuple(sums[number] for number in sorted(sums))


def _known(kinds: Callable[[int], Kind], number: int) -> Kind:
    try:
        return kinds(number)
    except ValueError:
        raise _DamagedError(f"type {number}") from None

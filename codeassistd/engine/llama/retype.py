"""Write a copy of a model in which each tensor has a number format of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import llama_cpp
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.engine.llama.writer import Order
from codeassistd.engine.llama.written import OnWritten, Writing, write_model
from codeassistd.errors import ModelLoadError

__all__ = ["TensorTypes", "bytes_with", "fast_int4", "write_types"]

TensorTypes = Mapping[str, GGMLQuantizationType]
"""Number formats by the names of tensors."""

_EMBEDDING = "token_embd.weight"
_OUTPUT = "output.weight"


def fast_int4() -> tuple[GGMLQuantizationType, ...]:
    """The 4-bit formats that this processor reads fast, the better one first.

    llama.cpp rearranges Q4_K and Q4_0 at load for processors with AVX2 or NEON. Without that, rows are read as they
    lie, and Q4_1 keeps more than Q4_0 at the same speed.
    """
    llama_log()
    said = llama_cpp.llama_print_system_info().decode("utf-8", "replace")
    has = {name for name, value in re.findall(r"(\w+) = (\d+)", said) if value != "0"}
    if "REPACK" in has and has & {"AVX2", "NEON"}:
        return GGMLQuantizationType.Q4_K, GGMLQuantizationType.Q4_0
    return GGMLQuantizationType.Q4_K, GGMLQuantizationType.Q4_1


def bytes_with(header: Header, types: TensorTypes) -> int:
    """How long a model's file would be with its tensors in these formats; about, for the gaps between them."""
    n_bytes = header.n_bytes
    for name, kind in types.items():
        tensor = header.tensors[name]
        n_per_block, n_block_bytes = GGML_QUANT_SIZES[kind]
        n_bytes += math.prod(tensor.shape) // n_per_block * n_block_bytes - tensor.n_bytes
    return n_bytes


def write_types(source: Path, target: Path, types: TensorTypes, on_written: OnWritten) -> None:
    """Write `source` to `target` with the tensors of `types` in those formats, and all others as they are.

    Args:
        source: a GGUF file.
        target: in a folder that exists; replaced if it is there.
        types: formats by name.
        on_written: told how far it is.

    Raises:
        ModelLoadError: the source cannot be read, llama.cpp gives a tensor another format, or the target cannot be
            written.
    """
    header = read_header(source)
    wanted = {name: types.get(name, tensor.kind) for name, tensor in header.tensors.items()}
    weights = {name: int(kind) for name, kind in wanted.items() if len(header.tensors[name].shape) > 1}
    embedding = wanted.get(_EMBEDDING)
    order = Order(
        file_type=llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,  # of what `types` has nothing for: nothing
        threads=0,  # all processors
        types=weights,
        # These two have parameters of their own, which outrank the list; a model without a head of its own writes with
        # its embedding.
        embedding_type=embedding,
        output_type=wanted.get(_OUTPUT, embedding),
    )
    writing = Writing(source, order, bytes_with(header, types), str(source))
    write_model(writing, target, on_written, partial(_check, wanted))


def _check(wanted: TensorTypes, got: Header) -> None:
    """See that llama.cpp did as it was told; what it thinks better of must not go unnoticed."""
    other = [name for name, kind in wanted.items() if got.tensors[name].kind != kind]
    if other:
        name = other[0]
        kind = got.tensors[name].kind.name
        raise ModelLoadError(f"llama.cpp writes {name} as {kind} instead of {wanted[name].name}; choose another type")

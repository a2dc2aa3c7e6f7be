"""Write a copy of a model in another number format."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

import llama_cpp

from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.writer import Order
from codeassistd.engine.llama.written import Writing, write_model

__all__ = ["FileType", "read_by_processor", "requantise"]


class FileType(IntEnum):
    """Number formats of a model file, by llama.cpp's own numbers."""

    F16 = llama_cpp.LLAMA_FTYPE_MOSTLY_F16
    Q4_0 = llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0
    """llama.cpp rearranges it at load for the vector units of many processors, and reads prompts fastest from it."""
    Q8_0 = llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0


def read_by_processor(gpu_layers: int) -> bool:
    """Whether the processor will read the weights: no layer is for a GPU, or this build of llama.cpp has none."""
    return gpu_layers == 0 or not llama_cpp.llama_supports_gpu_offload()


def requantise(source: Path, target: Path, file_type: FileType, threads: int = 0) -> None:
    """Write `source` in another format to `target`, for the owner only, whole or not at all.

    Takes 0.4 s for 100 MB, and half a second for the child that does it. From one 4-bit format to another costs some
    quality, so a manifest must allow it.

    Args:
        source: a GGUF file in any format.
        target: in a folder that exists; replaced if it is there.
        file_type: the format to write.
        threads: processor threads; 0 takes all.

    Raises:
        ModelLoadError: the source cannot be read, or the target not written.
    """
    header = read_header(source)
    # Longer than most copies will be, which are made to be read faster.
    write_model(Writing(source, Order(file_type, threads), header.n_bytes, f"{source} as {file_type.name}"), target)

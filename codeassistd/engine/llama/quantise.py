"""Write a copy of a model in another number format."""

from __future__ import annotations

import ctypes
import tempfile
from enum import IntEnum
from pathlib import Path

import llama_cpp

from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.errors import ModelLoadError
from codeassistd.paths import keep_file

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

    Takes 0.4 s for 100 MB, without holding the interpreter's lock. From one 4-bit format to another costs some
    quality, so a manifest must allow it.

    Args:
        source: a GGUF file in any format.
        target: in a folder that exists; replaced if it is there.
        file_type: the format to write.
        threads: processor threads; 0 takes all.

    Raises:
        ModelLoadError: the source cannot be read, or the target not written.
    """
    read_header(source)
    log = llama_log()
    log.take_errors()
    params = llama_cpp.llama_model_quantize_default_params()
    params.nthread = threads
    params.ftype = file_type
    params.allow_requantize = True
    try:
        # A name of its own, since two processes may make the same copy at once; the later one wins, and both are whole.
        with tempfile.TemporaryDirectory(prefix=".quantise-", dir=target.parent) as folder:
            part = Path(folder) / target.name
            code = llama_cpp.llama_model_quantize(str(source).encode(), str(part).encode(), ctypes.byref(params))
            if code != 0:
                cause = "; ".join(log.take_errors()) or f"llama.cpp answered {code}"
                raise ModelLoadError(f"{source} cannot be written as {file_type.name}: {cause}")
            keep_file(part, target)
    except OSError as error:
        raise ModelLoadError(f"{target} cannot be written: {error.strerror}") from error

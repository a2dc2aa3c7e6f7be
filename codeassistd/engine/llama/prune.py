"""Write the first layers of a model as a small model of the same vocabulary, which may guess for it."""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import llama_cpp

from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.errors import ModelLoadError, UsageError
from codeassistd.paths import keep_file

__all__ = ["write_first_layers"]

_LOOK_S = 0.1
"""How often is looked how far it is."""

_END = -1
"""Ends llama.cpp's list of layers."""


def write_first_layers(
    source: Path, target: Path, n_layers: int, on_written: Callable[[int, int], None] = lambda _done, _all: None
) -> int:
    """Write the first `n_layers` of `source` to `target`, for the owner only, whole or not at all.

    Embedding, output and number formats are those of the source. Takes about as long as the copy of the file.

    Args:
        source: a GGUF file.
        target: in a folder that exists; replaced if it is there.
        n_layers: between 1 and one less than the source has.
        on_written: told at the start and now and then how many bytes of how many are written.

    Returns:
        How many layers the source has.

    Raises:
        UsageError: the source does not have so many layers to choose from.
        ModelLoadError: the source cannot be read, or the target not written.
    """
    header = read_header(source)
    n_all = header.number("block_count")
    if not 1 <= n_layers < n_all:
        raise UsageError(f"--layers {n_layers}: {source} has {n_all} layers, so take 1 to {n_all - 1}")
    n_bytes = _check_space(header, target, n_layers)
    on_written(0, n_bytes)
    try:
        with tempfile.TemporaryDirectory(prefix=".draft-", dir=target.parent) as folder, ThreadPoolExecutor(1) as pool:
            part = Path(folder) / target.name
            writing = pool.submit(_prune, source, part, range(n_layers, n_all))
            _follow(writing, part, lambda done: on_written(done, n_bytes))
            read_header(part)
            keep_file(part, target)
    except OSError as error:
        raise ModelLoadError(f"{target} cannot be written: {error.strerror}") from error
    return n_all


def _check_space(header: Header, target: Path, n_layers: int) -> int:
    """How many bytes the target will have, for which there must be room."""
    n_bytes = header.n_bytes - sum(header.layer_bytes[n_layers:])
    try:
        n_free = shutil.disk_usage(target.parent).free
    except OSError as error:
        raise ModelLoadError(f"{target} cannot be written: {error.strerror}") from error
    if n_bytes > n_free:
        raise ModelLoadError(
            f"{target} would have {n_bytes // 10**6:,} MB, but {n_free // 10**6:,} MB are free there; make room"
        )
    return n_bytes


def _follow(writing: Future[None], part: Path, on_written: Callable[[int], None]) -> None:
    while not wait([writing], timeout=_LOOK_S).done:
        if part.exists():
            on_written(part.stat().st_size)
    writing.result()


def _prune(source: Path, part: Path, layers: range) -> None:
    log = llama_log()
    log.take_errors()
    params = llama_cpp.llama_model_quantize_default_params()
    params.only_copy = True
    left_out = (ctypes.c_int32 * (len(layers) + 1))(*layers, _END)
    params.prune_layers = ctypes.cast(left_out, ctypes.POINTER(ctypes.c_int32))
    code = llama_cpp.llama_model_quantize(str(source).encode(), str(part).encode(), ctypes.byref(params))
    if code != 0:
        cause = "; ".join(log.take_errors()) or f"llama.cpp answered {code}"
        raise ModelLoadError(f"the first layers of {source} cannot be written: {cause}")

"""Have llama.cpp write one model file out of another: whole or not at all, for the owner only, while one watches."""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llama_cpp

from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.errors import ModelLoadError
from codeassistd.paths import keep_file

__all__ = ["OnWritten", "Writing", "write_model"]

OnWritten = Callable[[int, int], None]
"""Told how many bytes of how many are written, at the start and now and then."""

_LOOK_S = 0.1
"""How often is looked how far it is."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written.

    Attributes:
        source: a GGUF file whose head was read, so that it is whole.
        params: `llama_model_quantize_params`; what they point to must live as long.
        n_bytes: how long the target will be about, for which there must be room.
        what: what is written, for errors, such as "model.gguf as Q4_0".
    """

    source: Path
    params: Any
    n_bytes: int
    what: str


def write_model(
    writing: Writing,
    target: Path,
    on_written: OnWritten = lambda _done, _all: None,
    check: Callable[[Header], None] = lambda _: None,
) -> None:
    """Write a model file, without holding the interpreter's lock; 0.4 s for 100 MB.

    Args:
        writing: what.
        target: in a folder that exists; replaced if it is there.
        on_written: told how far it is.
        check: looks at what was written before it takes the target's place; raises ModelLoadError.

    Raises:
        ModelLoadError: no room, llama.cpp refuses, or the target cannot be written.
    """
    on_written(0, writing.n_bytes)
    try:
        _check_space(target, writing.n_bytes)
        # A name of its own: two processes may write the same file at once; the later one wins, and both are whole.
        with tempfile.TemporaryDirectory(prefix=".write-", dir=target.parent) as folder, ThreadPoolExecutor(1) as pool:
            part = Path(folder) / target.name
            _follow(pool.submit(_quantise, writing, part), part, lambda done: on_written(done, writing.n_bytes))
            check(read_header(part))
            keep_file(part, target)
    except OSError as error:
        raise ModelLoadError(f"{target} cannot be written: {error.strerror}") from error


def _check_space(target: Path, n_bytes: int) -> None:
    n_free = shutil.disk_usage(target.parent).free
    if n_bytes > n_free:
        raise ModelLoadError(
            f"{target} would have {n_bytes // 10**6:,} MB, but {n_free // 10**6:,} MB are free there; make room"
        )


def _follow(written: Future[None], part: Path, on_written: Callable[[int], None]) -> None:
    while not wait([written], timeout=_LOOK_S).done:
        if part.exists():
            on_written(part.stat().st_size)
    written.result()


def _quantise(writing: Writing, part: Path) -> None:
    log = llama_log()
    log.take_errors()
    params = ctypes.byref(writing.params)
    code = llama_cpp.llama_model_quantize(str(writing.source).encode(), str(part).encode(), params)
    if code != 0:
        cause = "; ".join(log.take_errors()) or f"llama.cpp answered {code}"
        raise ModelLoadError(f"{writing.what} cannot be written: {cause}")

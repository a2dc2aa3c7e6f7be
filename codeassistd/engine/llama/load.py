"""Loading a model file with llama.cpp: checks first, then the model, then its context, each failure in one line."""

from __future__ import annotations

import ctypes
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any

import llama_cpp
import psutil

from codeassistd.engine.backend import Backend, BackendFactory, BackendInfo, Batch, LoadProgress
from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.draft import put_beside
from codeassistd.engine.llama.first_load import FirstLoads
from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.engine.llama.lora import LoadedAdapters, load_adapters
from codeassistd.engine.llama.memory import fewer_gpu_layers, fit_memory, memory_need
from codeassistd.engine.llama.params import KV_TYPES, LlamaOptions, Machine, Settled, settle, without_kv_types
from codeassistd.errors import DecodeError, ModelLoadError

__all__ = ["llama_factory", "this_machine"]

_FLASH = {
    "auto": llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}

_MAX_VALUE_BYTES = 4096
_MIB = 2**20

_ENDS_BYTES = 2**20
"""How much of each end of a model file its identity is made of."""

_NO_ROOM = re.compile("out of memory|allocat", re.IGNORECASE)
"""What llama.cpp's causes say when a GPU has no memory left."""

_SPEAKER = re.compile(r"^\w+: (?:error loading model: )?")
"""What stands before the cause in an error line: the name of the function that wrote it."""


def llama_factory(
    options: LlamaOptions, machine: Machine | None = None, first_loads: FirstLoads | None = None
) -> BackendFactory:
    """A factory that loads `options.model_path`.

    Args:
        options: what to load, and how.
        machine: looked at when the load begins, unless it is given.
        first_loads: tries files that were never loaded before; without it they are loaded untried.
    """
    return partial(_load, options, machine, first_loads)


def this_machine() -> Machine:
    """What this machine has, as far as a load needs to know."""
    llama_log()
    n_physical = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    n_allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else n_physical
    return Machine(
        has_gpu=bool(llama_cpp.llama_supports_gpu_offload()),
        n_cores=max(1, min(n_physical, n_allowed)),
        free_bytes=psutil.virtual_memory().available,
    )


@dataclass(frozen=True, slots=True)
class _Opened:
    """What llama.cpp made of a file, and what was settled in the end."""

    model: Any
    context: Any
    settled: Settled
    adapters: LoadedAdapters


def _load(
    options: LlamaOptions, machine: Machine | None, first_loads: FirstLoads | None, progress: LoadProgress
) -> Backend:
    loader = _Loader(machine or this_machine(), options.kv_mb, first_loads)
    backend = loader.load(options, progress)
    if options.draft_path is not None:
        put_beside(backend, options, lambda asked: loader.load(asked, lambda _share: progress(1.0)))
    return backend


class _Loader:
    """Loads models one after the other, each into the memory that those before it have left."""

    def __init__(self, machine: Machine, kv_mb: int, first_loads: FirstLoads | None) -> None:
        self._machine = machine
        self._free_bytes = machine.free_bytes
        self._cache_bytes = kv_mb * _MIB if kv_mb else None
        self._first_loads = first_loads

    def load(self, asked: LlamaOptions, progress: LoadProgress) -> LlamaBackend:
        """Load one model.

        Raises:
            ModelLoadError: with the cause in one line.
        """
        header = read_header(asked.model_path)
        settled = fit_memory(settle(asked, header, self._machine), header, self._free_bytes, self._cache_bytes)
        if self._first_loads is not None:
            self._first_loads.check(asked.model_path, lambda: progress(0.0))
        backend = _load_alone(asked, settled, header, progress)
        need = memory_need(settled, header)
        self._free_bytes -= need.total
        if self._cache_bytes is not None:
            self._cache_bytes -= need.cache
        return backend


def _load_alone(options: LlamaOptions, settled: Settled, header: Header, progress: LoadProgress) -> LlamaBackend:
    """Load one model as settled; what was asked is for the record."""
    llama_log().take_errors()
    try:
        opened = _open(settled, header, progress)
    except ModelLoadError as error:
        if settled.options.gpu_layers == 0 or not _NO_ROOM.search(str(error)):
            raise
        opened = _open(fewer_gpu_layers(settled, header), header, progress)
    backend = LlamaBackend(opened.model, opened.context, _info(opened, options, header))
    # The first step reads the weights in and makes the work buffers, which no key press should wait for.
    try:
        backend.decode(Batch([0], [0], [0], [True]))
    except DecodeError as error:
        backend.close()
        raise ModelLoadError(f"{options.model_path} was loaded but cannot be run: {error}") from error
    backend.clear()
    return backend


def _open(settled: Settled, header: Header, progress: LoadProgress) -> _Opened:
    model = _load_model(settled, progress)
    adapters = load_adapters(model, header, settled.options.lora)
    settled = replace(
        settled,
        options=replace(settled.options, lora=adapters.used, draft_path=None),
        warnings=(*settled.warnings, *adapters.warnings),
    )
    try:
        context, settled = _make_context(model, settled)
    except ModelLoadError:
        llama_cpp.llama_model_free(model)
        raise
    adapters.apply(context)
    return _Opened(model, context, settled, adapters)


def _load_model(settled: Settled, progress: LoadProgress) -> Any:
    params = llama_cpp.llama_model_default_params()
    params.n_gpu_layers = settled.options.gpu_layers
    params.kv_overrides = _without_space_prefix()
    given_up = False

    def on_progress(share: float, _user_data: object) -> bool:
        nonlocal given_up
        given_up = not progress(share)
        return not given_up

    params.progress_callback = llama_cpp.llama_progress_callback(on_progress)
    path = settled.options.model_path
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), params)
    if model:
        return model
    if given_up:
        raise ModelLoadError("the load was given up")
    raise ModelLoadError(f"{path} could not be loaded: {_last_error()}")


def _make_context(model: Any, settled: Settled) -> tuple[Any, Settled]:
    for attempt in _ladder(settled):
        context = llama_cpp.llama_init_from_model(model, _context_params(attempt))
        if context:
            return context, attempt
    raise ModelLoadError(f"no context could be made for {settled.options.model_path}: {_last_error()}")


def _ladder(settled: Settled) -> Iterator[Settled]:
    yield settled
    if (settled.options.kv_type_k, settled.options.kv_type_v) != ("f16", "f16"):
        yield without_kv_types(settled)


def _context_params(settled: Settled) -> Any:
    options = settled.options
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = options.n_ctx * options.n_slots
    params.n_batch = options.n_batch
    params.n_ubatch = settled.n_ubatch
    params.n_seq_max = options.n_slots
    params.n_threads = options.threads
    params.n_threads_batch = options.threads
    params.flash_attn_type = _FLASH[options.flash_attention]
    params.type_k = KV_TYPES[options.kv_type_k][0]
    params.type_v = KV_TYPES[options.kv_type_v][0]
    params.kv_unified = False
    # A cache that only holds the attention window could not be cut back to a shared prefix.
    params.swa_full = True
    params.no_perf = True
    return params


def _info(opened: _Opened, asked: LlamaOptions, header: Header) -> BackendInfo:
    model, settled = opened.model, opened.settled
    options = settled.options
    model_id = _model_id(options, header, opened.adapters)
    need = memory_need(settled, header)
    n_layers = llama_cpp.llama_model_n_layer(model) + 1  # the output counts as one
    n_gpu_layers = n_layers if options.gpu_layers < 0 else min(options.gpu_layers, n_layers)
    return BackendInfo(
        n_ctx=options.n_ctx,
        n_batch=int(llama_cpp.llama_n_batch(opened.context)),
        n_slots=options.n_slots,
        n_vocab=int(llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))),
        metadata=_metadata(model),
        asked=asked.as_text(),
        effective={
            **options.as_text(),
            "gpu_layers": str(n_gpu_layers),
            "device": "gpu" if n_gpu_layers else "cpu",
            "llama_cpp": llama_cpp.__version__,
        },
        warnings=settled.warnings,
        kv_bytes=need.cache,
        state_id=_state_id(options, model_id),
        n_threads=options.threads,
        model_id=model_id,
        weight_bytes=need.weights,
    )


def _model_id(options: LlamaOptions, header: Header, adapters: LoadedAdapters) -> str:
    """A hash of the model and the adapters over it."""
    about = [header.n_bytes, sorted(header.metadata.items()), adapters.identity]
    digest = sha256(json.dumps(about).encode())
    # The whole file would take a second a gigabyte; models that differ only in the middle are not made by accident.
    with options.model_path.open("rb") as file:
        digest.update(file.read(_ENDS_BYTES))
        file.seek(max(0, header.n_bytes - _ENDS_BYTES))
        digest.update(file.read(_ENDS_BYTES))
    return digest.hexdigest()


def _state_id(options: LlamaOptions, model_id: str) -> str:
    """A hash of all that decides what saved states look like: the model, the library, and how its cache is laid out."""
    about = [llama_cpp.__version__, options.n_ctx, options.kv_type_k, options.kv_type_v, options.flash_attention]
    return sha256(json.dumps([about, model_id]).encode()).hexdigest()


def _metadata(model: Any) -> Mapping[str, str]:
    buffer = ctypes.create_string_buffer(_MAX_VALUE_BYTES)
    values: dict[str, str] = {}
    for index in range(llama_cpp.llama_model_meta_count(model)):
        llama_cpp.llama_model_meta_key_by_index(model, index, buffer, _MAX_VALUE_BYTES)
        key = buffer.value.decode("utf-8", "replace")
        llama_cpp.llama_model_meta_val_str_by_index(model, index, buffer, _MAX_VALUE_BYTES)
        values[key] = buffer.value.decode("utf-8", "ignore")
    return values


def _without_space_prefix() -> Any:
    overrides: Any = (llama_cpp.llama_model_kv_override * 2)()  # the second one, with an empty key, ends the list
    overrides[0].tag = llama_cpp.LLAMA_KV_OVERRIDE_TYPE_BOOL
    overrides[0].key = b"tokenizer.ggml.add_space_prefix"
    overrides[0].value.val_bool = False
    return overrides


def _last_error() -> str:
    errors = llama_log().take_errors()
    return _SPEAKER.sub("", errors[0]) if errors else "llama.cpp gives no cause"

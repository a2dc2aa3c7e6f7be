"""LoRA adapters: checked before llama.cpp gets them, and put over a model before its context is made.

One that does not fit is left out, with its cause in one line, and the model serves without it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import file_digest
from typing import Any

import llama_cpp

from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.engine.llama.params import LoraAdapter
from codeassistd.errors import ModelLoadError

__all__ = ["LoadedAdapters", "load_adapters"]


@dataclass(frozen=True, slots=True)
class LoadedAdapters:
    """Adapters that belong to a loaded model, which gives their memory back with its own.

    Attributes:
        used: those that fit, in the order of the settings.
        handles: llama.cpp's, of `used`.
        hashes: of the content of their files.
        warnings: one line for each that was left out.
    """

    used: tuple[LoraAdapter, ...] = ()
    handles: tuple[Any, ...] = ()
    hashes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def identity(self) -> list[tuple[str, float]]:
        """What makes the model's answers others than without them: content and scale, in their order."""
        return [(digest, adapter.scale) for digest, adapter in zip(self.hashes, self.used, strict=True)]

    def apply(self, context: Any) -> None:
        """Have a context of the model compute with them from now on."""
        if not self.used:
            return
        n_used = len(self.used)
        handles = (llama_cpp.llama_adapter_lora_p_ctypes * n_used)(
            *(ctypes.cast(handle, llama_cpp.llama_adapter_lora_p_ctypes) for handle in self.handles)
        )
        scales = (ctypes.c_float * n_used)(*(adapter.scale for adapter in self.used))
        llama_cpp.llama_set_adapters_lora(context, handles, n_used, scales)


def load_adapters(model: Any, model_header: Header, adapters: Iterable[LoraAdapter]) -> LoadedAdapters:
    """Load the adapters that fit a model; before a context of it is made, which reckons with them."""
    used: list[LoraAdapter] = []
    handles: list[Any] = []
    hashes: list[str] = []
    warnings: list[str] = []
    for adapter in adapters:
        try:
            _check(adapter, model_header)
            handle = _load(model, adapter)
            digest = _hash(adapter)
        except ModelLoadError as error:
            warnings.append(f"the model is used without an adapter: {error}")
            continue
        used.append(adapter)
        handles.append(handle)
        hashes.append(digest)
    return LoadedAdapters(tuple(used), tuple(handles), tuple(hashes), tuple(warnings))


def _check(adapter: LoraAdapter, model: Header) -> None:
    """See that the file is a whole LoRA adapter for models of this architecture.

    Raises:
        ModelLoadError: it is not, with the cause.
    """
    path = adapter.path
    if not path.is_file():
        raise ModelLoadError(f"there is no file at {path}; correct model.lora")
    header = read_header(path)
    kind = header.metadata.get("general.type", "model")
    if kind != "adapter" or header.metadata.get("adapter.type") != "lora":
        raise ModelLoadError(f"{path} is no LoRA adapter, but of the type {kind}; name models in model.name")
    if header.architecture != model.architecture:
        raise ModelLoadError(
            f"{path} is for models of the architecture {header.architecture}, and this one is {model.architecture}"
        )


def _load(model: Any, adapter: LoraAdapter) -> Any:
    log = llama_log()
    log.take_errors()
    handle = llama_cpp.llama_adapter_lora_init(model, os.fsencode(adapter.path))
    if not handle:
        cause = (log.take_errors() or ["llama.cpp gives no cause"])[0].rpartition("failed to apply lora adapter: ")[2]
        raise ModelLoadError(f"{adapter.path} does not fit this model: {cause.strip()}")
    if llama_cpp.llama_adapter_get_alora_n_invocation_tokens(handle):
        raise ModelLoadError(f"{adapter.path} works behind words of its own only (aLoRA), which is not supported")
    return handle


def _hash(adapter: LoraAdapter) -> str:
    try:
        with adapter.path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelLoadError(f"{adapter.path} cannot be read: {error.strerror}") from error

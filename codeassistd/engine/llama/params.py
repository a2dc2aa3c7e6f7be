"""How a model is to be loaded, and what of it this machine can do: pure decisions, made before llama.cpp is asked.

llama.cpp ends the process over some settings that do not go together, so nothing reaches it unsettled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from codeassistd.config import KvType, ModelSettings
from codeassistd.engine.llama.header import Header
from codeassistd.errors import ModelLoadError

__all__ = ["KV_TYPES", "LlamaOptions", "LoraAdapter", "Machine", "Settled", "settle", "without_kv_types"]

Flash = Literal["auto", "on", "off"]

MAX_SLOTS = 256
"""llama.cpp holds no more sequences in one context."""

_MAX_UBATCH = 512

KV_TYPES: Mapping[KvType, tuple[int, float]] = {
    "f32": (0, 4.0),
    "f16": (1, 2.0),
    "bf16": (30, 2.0),
    "q8_0": (8, 34 / 32),
    "q5_1": (7, 24 / 32),
    "q5_0": (6, 22 / 32),
    "q4_1": (3, 20 / 32),
    "q4_0": (2, 18 / 32),
}
"""Number formats of the cache: ggml's number of the type, and bytes per value."""

_FLOATS: frozenset[KvType] = frozenset({"f32", "f16", "bf16"})


_SCALED = re.compile(r"(.+)=(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class LoraAdapter:
    """A small file of differences to a model's weights, and how strongly they count."""

    path: Path
    scale: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """An adapter as the settings name it: `PATH` or `PATH=SCALE`."""
        scaled = _SCALED.fullmatch(text)
        path = Path(scaled[1] if scaled else text).expanduser()
        return cls(path, float(scaled[2]) if scaled else 1.0)

    def __str__(self) -> str:
        return f"{self.path}={self.scale:g}"


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """What to load and how, as asked.

    Attributes:
        n_ctx: tokens that each slot can hold.
        threads: 0 takes one per physical core.
        gpu_layers: -1 takes all where the build has a GPU, else none.
        flash_attention: `auto` is off on a processor, where it is slower, and left to llama.cpp on a GPU.
        kv_type_k, kv_type_v: number formats of the cached keys and values.
        lora: adapters that are put over the model's weights, in their order.
        draft_path: a smaller model that guesses for this one; None for none.
        kv_mb: most memory for the keys and values of all slots, in MiB, a draft model's among them; 0 for no limit.
    """

    model_path: Path
    n_ctx: int = 4096
    n_slots: int = 4
    n_batch: int = 512
    threads: int = 0
    gpu_layers: int = -1
    flash_attention: Flash = "auto"
    kv_type_k: KvType = "f16"
    kv_type_v: KvType = "f16"
    lora: tuple[LoraAdapter, ...] = ()
    draft_path: Path | None = None
    kv_mb: int = 0

    @classmethod
    def from_settings(cls, model_path: Path, settings: ModelSettings, draft_path: Path | None = None) -> Self:
        """The options in the settings, for the files that the catalogue found."""
        return cls(
            model_path=model_path,
            n_ctx=settings.n_ctx,
            n_slots=settings.n_slots,
            n_batch=settings.n_batch,
            threads=settings.threads,
            gpu_layers=settings.gpu_layers,
            flash_attention=settings.flash_attention,
            kv_type_k=settings.kv_type_k,
            kv_type_v=settings.kv_type_v,
            lora=tuple(map(LoraAdapter.parse, settings.lora)),
            draft_path=draft_path,
            kv_mb=settings.kv_mb,
        )

    def as_text(self) -> dict[str, str]:
        """By name, for `status`."""
        return {
            "model": str(self.model_path),
            "n_ctx": str(self.n_ctx),
            "n_slots": str(self.n_slots),
            "n_batch": str(self.n_batch),
            "threads": str(self.threads),
            "gpu_layers": str(self.gpu_layers),
            "flash_attention": self.flash_attention,
            "kv_type_k": self.kv_type_k,
            "kv_type_v": self.kv_type_v,
            "lora": ", ".join(map(str, self.lora)) or "none",
            "draft": str(self.draft_path or "none"),
            "kv_mb": str(self.kv_mb or "no limit"),
        }


@dataclass(frozen=True, slots=True)
class Machine:
    """What the options are settled for.

    Attributes:
        has_gpu: this build of llama.cpp found a GPU.
        n_cores: physical cores that this process may use.
        free_bytes: main memory that could be had now.
    """

    has_gpu: bool
    n_cores: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Settled:
    """Options that this machine can do, and one line for each that is not as asked."""

    options: LlamaOptions
    n_ubatch: int
    warnings: tuple[str, ...]


def settle(asked: LlamaOptions, header: Header, machine: Machine) -> Settled:
    """Make `asked` fit the model and the machine.

    Raises:
        ModelLoadError: the model is of a kind that cannot complete text.
    """
    _check_kind(asked.model_path, header)
    warnings: list[str] = []
    options = asked
    n_trained = header.number("context_length")
    if n_trained and options.n_ctx > n_trained:
        warnings.append(f"n_ctx is {n_trained} instead of {options.n_ctx}: the model was trained for no more")
        options = replace(options, n_ctx=n_trained)
    if options.n_slots > MAX_SLOTS:
        warnings.append(f"n_slots is {MAX_SLOTS} instead of {options.n_slots}: llama.cpp holds no more")
        options = replace(options, n_slots=MAX_SLOTS)
    if options.gpu_layers > 0 and not machine.has_gpu:
        warnings.append(f"gpu_layers is 0 instead of {options.gpu_layers}: this build of llama.cpp sees no GPU")
    if not machine.has_gpu:
        options = replace(options, gpu_layers=0)
    options = replace(
        options,
        n_batch=max(min(options.n_batch, options.n_ctx), options.n_slots),  # one token of each stream in every step
        threads=options.threads or machine.n_cores,
    )
    options = _settle_attention(options, warnings)
    return Settled(options, min(options.n_batch, _MAX_UBATCH), tuple(warnings))


def without_kv_types(settled: Settled) -> Settled:
    """The fallback where a context cannot be made with the asked number formats of the cache."""
    options = settled.options
    warning = f"kv_type is f16: this model cannot be run with {options.kv_type_k} keys and {options.kv_type_v} values"
    return replace(
        settled,
        options=replace(options, kv_type_k="f16", kv_type_v="f16"),
        warnings=(*settled.warnings, warning),
    )


def _settle_attention(options: LlamaOptions, warnings: list[str]) -> LlamaOptions:
    if options.kv_type_v in _FLOATS or options.flash_attention == "on":
        if options.flash_attention == "auto" and options.gpu_layers == 0:
            return replace(options, flash_attention="off")
        return options
    if options.flash_attention == "off":
        warnings.append(
            f"kv_type_v is f16 instead of {options.kv_type_v}: quantised values need flash attention, which is set off"
        )
        return replace(options, kv_type_v="f16")
    warnings.append(f"flash attention is on: quantised values ({options.kv_type_v}) need it")
    return replace(options, flash_attention="on")


def _check_kind(path: Path, header: Header) -> None:
    if not header.architecture:
        raise ModelLoadError(f"{path} does not say what model it is (no general.architecture)")
    kind = header.metadata.get("general.type", "model")
    if kind != "model" or header.architecture == "clip":
        raise ModelLoadError(f"{path} is no language model by itself, but of the type {kind} ({header.architecture})")
    if header.metadata.get(f"{header.architecture}.attention.causal") is False:
        raise ModelLoadError(f"{path} cannot write text: it is an embedding model ({header.architecture})")

"""What a load will take of memory, reckoned from the file's head before llama.cpp is asked: arithmetic.

The system promises memory that it does not have, and ends the process that then uses it. So what does not fit is made
smaller or refused before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from codeassistd.engine.llama.header import Header
from codeassistd.engine.llama.params import KV_TYPES, LlamaOptions, Settled
from codeassistd.errors import ModelLoadError

__all__ = ["MemoryNeed", "fewer_gpu_layers", "fit_memory", "memory_need"]

_N_CTX_STEP = 256
_MIN_CTX = 1024
"""Shorter contexts than this are not worth a model: a prompt and its answer would hardly fit."""

_N_WIDTHS = 4
"""Rows as wide as the model that a step holds at once, beside the largest one."""


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Bytes by what they are for.

    Attributes:
        weights: the file's tensors, and those of adapters.
        cache: keys and values of all slots, full or not.
        compute: what a step works in.
    """

    weights: int
    cache: int
    compute: int

    @property
    def total(self) -> int:
        """All together."""
        return self.weights + self.cache + self.compute


def memory_need(settled: Settled, header: Header) -> MemoryNeed:
    """What a load as settled takes, in main memory and on the GPU together.

    An adapter is held as it lies in its file, so it counts as long as that is; one that is not there takes nothing.
    """
    options = settled.options
    cache = options.n_ctx * options.n_slots * _cache_bytes_per_token(options, header)
    n_heads, n_width = header.number("attention.head_count"), header.number("embedding_length")
    # The scores of the vocabulary and those of the attention are not there at the same time.
    n_attention = 0 if options.flash_attention == "on" else n_heads * options.n_ctx
    compute = 4 * settled.n_ubatch * (max(header.n_vocab, n_attention) + _N_WIDTHS * n_width)
    n_adapter_bytes = sum(adapter.path.stat().st_size for adapter in options.lora if adapter.path.is_file())
    return MemoryNeed(header.n_weight_bytes + n_adapter_bytes, cache, compute)


def fit_memory(settled: Settled, header: Header, free_bytes: int, cache_bytes: int | None = None) -> Settled:
    """Take fewer slots, then a shorter context, until the load fits; each change is a warning.

    Args:
        settled: what is to be loaded, and how.
        header: of its file.
        free_bytes: main memory that could be had. What lies on a GPU is not reckoned with it: only the driver knows
            what is free there.
        cache_bytes: most memory for keys and values, wherever they lie; None for no limit.

    Raises:
        ModelLoadError: not even the least fits; the message names the numbers.
    """
    if cache_bytes is not None:
        settled = _shrunk(settled, header, partial(_over_cap, cache_bytes))
    if settled.options.gpu_layers != 0:
        return settled
    return _shrunk(settled, header, partial(_over_memory, free_bytes))


@dataclass(frozen=True, slots=True)
class _Excess:
    """Too much was needed: why less is taken, and why nothing is where that is the least."""

    reason: str
    refusal: str


def _over_cap(cache_bytes: int, need: MemoryNeed, options: LlamaOptions) -> _Excess | None:
    if need.cache <= cache_bytes:
        return None
    allowed = f"model.kv_mb allows {_mib(cache_bytes)} for keys and values"
    return _Excess(
        f"{allowed}, and they would take {_mib(need.cache)}",
        f"{allowed}, but one slot of {options.n_ctx} tokens takes {_mib(need.cache)}; set at least that",
    )


def _over_memory(free_bytes: int, need: MemoryNeed, options: LlamaOptions) -> _Excess | None:
    if need.total <= free_bytes:
        return None
    return _Excess(
        f"with {_gib(need.weights)} of weights it would need {_gib(need.total)} of memory, {_gib(free_bytes)} are free",
        _refusal(need, options, free_bytes),
    )


def _shrunk(
    settled: Settled, header: Header, excess_of: Callable[[MemoryNeed, LlamaOptions], _Excess | None]
) -> Settled:
    """The most that is in no excess."""
    asked = options = settled.options
    first = excess = excess_of(memory_need(settled, header), options)
    while excess is not None:
        if options.n_slots > 1:
            options = replace(options, n_slots=options.n_slots - 1)
        elif options.n_ctx - _N_CTX_STEP >= _MIN_CTX:
            options = replace(options, n_ctx=options.n_ctx - _N_CTX_STEP)
        else:
            raise ModelLoadError(excess.refusal)
        excess = excess_of(memory_need(_with(settled, options), header), options)
    if first is None:
        return settled
    warnings = [
        f"{name} is {effective} instead of {wished}: {first.reason}"
        for name, effective, wished in (
            ("n_slots", options.n_slots, asked.n_slots),
            ("n_ctx", options.n_ctx, asked.n_ctx),
        )
        if effective != wished
    ]
    return replace(_with(settled, options), warnings=(*settled.warnings, *warnings))


def fewer_gpu_layers(settled: Settled, header: Header) -> Settled:
    """The one retry where the GPU's memory ran out: half of the layers."""
    n_layers = header.number("block_count") + 1
    asked = settled.options.gpu_layers
    n_asked = n_layers if asked < 0 else min(asked, n_layers)
    n_tried = n_asked // 2
    warning = f"gpu_layers is {n_tried} instead of {n_asked}: the memory of the GPU was not enough for more"
    options = replace(settled.options, gpu_layers=n_tried)
    return replace(settled, options=options, warnings=(*settled.warnings, warning))


def _with(settled: Settled, options: LlamaOptions) -> Settled:
    n_batch = max(min(options.n_batch, options.n_ctx), options.n_slots)
    return replace(settled, options=replace(options, n_batch=n_batch), n_ubatch=min(settled.n_ubatch, n_batch))


def _refusal(need: MemoryNeed, options: LlamaOptions, free_bytes: int) -> str:
    return (
        f"the model needs {_gib(need.total)} of memory ({_gib(need.weights)} weights, {_gib(need.cache)} for "
        f"{options.n_slots} slot of {options.n_ctx} tokens, {_gib(need.compute)} to work in), but {_gib(free_bytes)} "
        "are free; close other programs or take a smaller model"
    )


def _cache_bytes_per_token(options: LlamaOptions, header: Header) -> int:
    n_heads = header.number("attention.head_count")
    n_head_size = header.number("embedding_length") // n_heads if n_heads else 0
    n_kv_heads = header.number("attention.head_count_kv", n_heads)
    n_key = n_kv_heads * header.number("attention.key_length", n_head_size)
    n_value = n_kv_heads * header.number("attention.value_length", n_head_size)
    per_layer = n_key * KV_TYPES[options.kv_type_k][1] + n_value * KV_TYPES[options.kv_type_v][1]
    return int(header.number("block_count") * per_layer)


def _mib(n_bytes: int) -> str:
    return f"{-(-n_bytes // 2**20)} MiB"


def _gib(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB"

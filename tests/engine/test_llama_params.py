"""What is asked for and what this machine can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.config import ModelSettings
from codeassistd.engine.llama.header import Header
from codeassistd.engine.llama.params import LlamaOptions, Machine, settle, without_kv_types
from codeassistd.errors import ModelLoadError

FILE = Path("m.gguf")
HEADER = Header(
    {
        "general.architecture": "llama",
        "llama.context_length": 8192,
        "llama.block_count": 30,
        "llama.embedding_length": 576,
        "llama.attention.head_count": 9,
        "llama.attention.head_count_kv": 3,
    },
    n_bytes=98_000_000,
    n_weight_bytes=97_000_000,
)
CPU = Machine(has_gpu=False, n_cores=6, free_bytes=2**34)
GPU = replace(CPU, has_gpu=True)


@pytest.mark.parametrize(
    ("asked", "machine", "effective", "warning"),
    [
        pytest.param({}, CPU, {"flash_attention": "off", "gpu_layers": 0, "threads": 6}, "", id="defaults, processor"),
        pytest.param({}, GPU, {"flash_attention": "auto", "gpu_layers": -1}, "", id="defaults, GPU"),
        pytest.param({"threads": 2}, CPU, {"threads": 2}, "", id="threads as asked"),
        pytest.param({"flash_attention": "on"}, CPU, {"flash_attention": "on"}, "", id="flash attention as asked"),
        pytest.param({"kv_type_k": "q8_0"}, CPU, {"kv_type_k": "q8_0", "flash_attention": "off"}, "", id="keys only"),
        pytest.param(
            {"kv_type_v": "q8_0"},
            CPU,
            {"kv_type_v": "q8_0", "flash_attention": "on"},
            "flash attention is on: quantised values (q8_0) need it",
            id="values turn it on",
        ),
        pytest.param(
            {"kv_type_v": "q4_0", "flash_attention": "off"},
            GPU,
            {"kv_type_v": "f16", "flash_attention": "off"},
            "kv_type_v is f16 instead of q4_0: quantised values need flash attention, which is set off",
            id="values fall back",
        ),
        pytest.param(
            {"gpu_layers": 20},
            CPU,
            {"gpu_layers": 0, "flash_attention": "off"},
            "gpu_layers is 0 instead of 20: this build of llama.cpp sees no GPU",
            id="no GPU",
        ),
        pytest.param({"gpu_layers": 20}, GPU, {"gpu_layers": 20, "flash_attention": "auto"}, "", id="GPU layers"),
        pytest.param(
            {"n_ctx": 100_000, "n_slots": 1},
            CPU,
            {"n_ctx": 8192},
            "n_ctx is 8192 instead of 100000: the model was trained for no more",
            id="context",
        ),
        pytest.param({"n_ctx": 256, "n_batch": 512}, CPU, {"n_batch": 256}, "", id="a batch is no longer than that"),
        pytest.param({"n_batch": 16, "n_slots": 64}, CPU, {"n_batch": 64}, "", id="a token of each stream fits"),
    ],
)
def test_what_is_asked_and_what_is_done(
    asked: dict[str, object], machine: Machine, effective: dict[str, object], warning: str
) -> None:
    """Each setting that cannot be done has a fallback and one warning; the rest stays as asked."""
    settled = settle(LlamaOptions(FILE, **asked), HEADER, machine)  # type: ignore[arg-type]  # a table of any
    assert effective == {name: getattr(settled.options, name) for name in effective}
    assert ((warning,) if warning else ()) == settled.warnings


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, "does not say what model it is"),
        (
            {"general.architecture": "clip", "general.type": "mmproj"},
            "no language model by itself, but of the type mmproj",
        ),
        ({"general.architecture": "llama", "general.type": "adapter"}, "of the type adapter"),
        ({"general.architecture": "bert", "bert.attention.causal": False}, "cannot write text"),
    ],
)
def test_models_of_another_kind_are_refused(metadata: dict[str, str | bool], expected: str) -> None:
    """What cannot complete text is told before it is loaded."""
    with pytest.raises(ModelLoadError, match=expected):
        settle(LlamaOptions(FILE), Header(metadata, 1, 1), CPU)


def test_settings_become_options() -> None:
    """Every setting of the model's section that the engine knows arrives."""
    settings = ModelSettings(n_ctx=1024, n_slots=2, n_batch=64, threads=3, gpu_layers=5, kv_type_k="q8_0")
    options = LlamaOptions.from_settings(FILE, settings)
    assert LlamaOptions(FILE, 1024, 2, 64, 3, 5, "auto", "q8_0", "f16") == options


def test_the_last_fallback_of_the_cache() -> None:
    """Where a context cannot be made, both number formats go back to 16 bit, with one warning."""
    settled = without_kv_types(settle(LlamaOptions(FILE, kv_type_k="q8_0"), HEADER, CPU))
    assert ("f16", "f16") == (settled.options.kv_type_k, settled.options.kv_type_v)
    assert ("kv_type is f16: this model cannot be run with q8_0 keys and f16 values",) == settled.warnings

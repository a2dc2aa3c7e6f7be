"""What a load needs of memory, and what is done where that is not there."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path
from typing import Any

import llama_cpp
import pytest

from codeassistd.engine.llama.header import Header, read_header
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.log import llama_log
from codeassistd.engine.llama.memory import MemoryNeed, fewer_gpu_layers, fit_memory, memory_need
from codeassistd.engine.llama.params import LlamaOptions, LoraAdapter, Machine, Settled, settle
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model

FILE = Path("m.gguf")
STARTER = Header(
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
    n_vocab=49_152,
)
CPU = Machine(has_gpu=False, n_cores=6, free_bytes=2**34)
MIB = 2**20
SLOT = 4096 * 23_040  # 90 MiB
LEAST = 97_000_000 + 4 * 512 * (49_152 + 4 * 576)  # weights, and what a step works in


def settled(**asked: object) -> Settled:
    return settle(LlamaOptions(FILE, **asked), STARTER, CPU)  # type: ignore[arg-type]  # a table of any


def test_the_need_of_the_starter() -> None:
    """llama.cpp allocates 360 MiB for the cache and 98 for a step; what is reckoned is a little more."""
    assert MemoryNeed(97_000_000, 360 * MIB, 4 * 512 * (49_152 + 4 * 576)) == memory_need(settled(), STARTER)


def test_the_need_follows_the_number_formats_and_the_context() -> None:
    """Keys of q8_0 take 17 bytes where f16 takes 32; long contexts need room for their attention scores."""
    assert 180 * MIB + 180 * MIB * 17 // 32 == memory_need(settled(kv_type_k="q8_0"), STARTER).cache
    assert 4 * 512 * (8192 * 9 + 4 * 576) == memory_need(settled(n_ctx=8192), STARTER).compute


@pytest.mark.parametrize(
    ("free_bytes", "expected"),
    [
        pytest.param(LEAST + 4 * SLOT, (4, 4096), id="all fits"),
        pytest.param(LEAST + 4 * SLOT - 1, (3, 4096), id="a slot less"),
        pytest.param(LEAST + SLOT, (1, 4096), id="one slot"),
        pytest.param(LEAST + SLOT - 1, (1, 3840), id="a shorter context"),
        pytest.param(LEAST + SLOT // 4, (1, 1024), id="the least"),
    ],
)
def test_what_does_not_fit_is_made_smaller(free_bytes: int, expected: tuple[int, int]) -> None:
    """Slots go first, then the length of the context, and no more than must be."""
    options = fit_memory(settled(), STARTER, free_bytes).options
    assert expected == (options.n_slots, options.n_ctx)


def test_each_change_is_a_warning_with_the_numbers() -> None:
    """Asked, effective, and why."""
    reason = "with 0.1 GiB of weights it would need 0.5 GiB of memory, 0.2 GiB are free"
    assert (f"n_slots is 1 instead of 4: {reason}", f"n_ctx is 1024 instead of 4096: {reason}") == fit_memory(
        settled(), STARTER, LEAST + SLOT // 4
    ).warnings


def test_what_cannot_fit_is_refused_with_the_numbers() -> None:
    """Before llama.cpp is asked, which would be given memory that is not there."""
    with pytest.raises(ModelLoadError) as caught:
        fit_memory(settled(), STARTER, LEAST + SLOT // 4 - 1)
    assert (
        "the model needs 0.2 GiB of memory (0.1 GiB weights, 0.0 GiB for 1 slot of 1024 tokens, 0.1 GiB to work in), "
        "but 0.2 GiB are free; close other programs or take a smaller model"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("cache_mib", "expected"),
    [(360, (4, 4096)), (359, (3, 4096)), (90, (1, 4096)), (89, (1, 3840)), (23, (1, 1024))],
)
def test_the_cap_on_keys_and_values_is_kept(cache_mib: int, expected: tuple[int, int]) -> None:
    """Slots go first, then the length of the context; also on a GPU, of which nothing else is reckoned."""
    for has_gpu in (False, True):
        wished = settle(LlamaOptions(FILE), STARTER, replace(CPU, has_gpu=has_gpu))
        fit = fit_memory(wished, STARTER, 2**34, cache_mib * MIB)
        assert expected == (fit.options.n_slots, fit.options.n_ctx)
        assert memory_need(fit, STARTER).cache <= cache_mib * MIB


def test_the_cap_is_told_with_the_numbers() -> None:
    """What it changed, and where it leaves nothing."""
    reason = "model.kv_mb allows 180 MiB for keys and values, and they would take 360 MiB"
    assert (f"n_slots is 2 instead of 4: {reason}",) == fit_memory(settled(), STARTER, 2**34, 180 * MIB).warnings
    with pytest.raises(ModelLoadError) as caught:
        fit_memory(settled(), STARTER, 2**34, 22 * MIB)
    assert (
        "model.kv_mb allows 22 MiB for keys and values, but one slot of 1024 tokens takes 23 MiB; set at least that"
    ) == str(caught.value)


def test_adapters_are_held_too(tmp_path: Path) -> None:
    """As many bytes as their files have; one that is missing is left out by the load, and takes nothing."""
    adapter = tmp_path / "a.gguf"
    adapter.write_bytes(b"x" * 1000)
    lora = (LoraAdapter(adapter), LoraAdapter(tmp_path / "missing.gguf"))
    assert 97_001_000 == memory_need(settled(lora=lora), STARTER).weights


def test_a_gpu_is_asked_itself() -> None:
    """Main memory says nothing about what fits there."""
    on_gpu = settle(LlamaOptions(FILE), STARTER, replace(CPU, has_gpu=True))
    assert on_gpu is fit_memory(on_gpu, STARTER, 0)


def test_half_the_layers_are_tried_next() -> None:
    """Of all layers, the output counted as one, or of those that were asked for."""
    on_gpu = settle(LlamaOptions(FILE), STARTER, replace(CPU, has_gpu=True))
    fewer = fewer_gpu_layers(on_gpu, STARTER)
    assert 15 == fewer.options.gpu_layers
    assert ("gpu_layers is 15 instead of 31: the memory of the GPU was not enough for more",) == fewer.warnings
    assert 7 == fewer_gpu_layers(fewer, STARTER).options.gpu_layers


class FullGpu:
    """Stands before llama.cpp and says that the GPU is full, so often."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, n_refusals: int, cause: bytes) -> None:
        self.asked: list[int] = []
        real = llama_cpp.llama_model_load_from_file

        def load(path: bytes, params: Any) -> Any:
            self.asked.append(params.n_gpu_layers)
            if len(self.asked) <= n_refusals:
                llama_log()._receive(4, cause, ctypes.c_void_p(0))
                return None
            return real(path, params)

        monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", load)


NO_ROOM = (
    b"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 80.00 MiB on device 0: cudaMalloc failed: out of memory"
)
GPU = Machine(has_gpu=True, n_cores=1, free_bytes=2**30)


@pytest.fixture
def options(tmp_path: Path) -> LlamaOptions:
    """Of a model with one layer."""
    return LlamaOptions(write_tiny_model(tmp_path / "tiny.gguf"), n_ctx=256, n_slots=1, n_batch=64, threads=1)


def test_a_full_gpu_gets_half_of_the_layers(options: LlamaOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, with a warning, and what is in force beside what was asked for."""
    gpu = FullGpu(monkeypatch, 1, NO_ROOM)
    backend = llama_factory(options, GPU)(lambda _share: True)
    info = backend.info
    backend.close()
    assert [-1, 1] == gpu.asked
    assert ("-1", "1") == (info.asked["gpu_layers"], info.effective["gpu_layers"])
    assert ("gpu_layers is 1 instead of 2: the memory of the GPU was not enough for more",) == info.warnings


def test_a_gpu_that_stays_full_is_an_error(options: LlamaOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one retry only, and the cause is told."""
    gpu = FullGpu(monkeypatch, 9, NO_ROOM)
    with pytest.raises(ModelLoadError, match="out of memory"):
        llama_factory(options, GPU)(lambda _share: True)
    assert [-1, 1] == gpu.asked


def test_other_failures_are_not_tried_again(options: LlamaOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file does not get better with fewer layers."""
    gpu = FullGpu(monkeypatch, 9, b"error loading model: tensor 'x' not found")
    with pytest.raises(ModelLoadError, match="tensor 'x' not found"):
        llama_factory(options, GPU)(lambda _share: True)
    assert [-1] == gpu.asked


def test_states_belong_to_one_model_and_layout(options: LlamaOptions, tmp_path: Path) -> None:
    """The same file gives the same id; another length, number format or a changed weight another one."""
    header = read_header(options.model_path)
    other = write_tiny_model(tmp_path / "other.gguf")
    content = bytearray(other.read_bytes())
    content[header.n_bytes - 1] ^= 1
    other.write_bytes(content)

    def state_id(options: LlamaOptions) -> str:
        backend = llama_factory(options, replace(GPU, has_gpu=False))(lambda _share: True)
        backend.close()
        return backend.info.state_id

    ids = [
        state_id(options),
        state_id(replace(options, n_ctx=512)),
        state_id(replace(options, kv_type_k="q8_0")),
        state_id(replace(options, model_path=other)),
    ]
    assert ids[0] == state_id(options)
    assert 4 == len(set(ids))

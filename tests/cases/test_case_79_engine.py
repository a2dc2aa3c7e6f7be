"""Case 79, in the engine: layers asked for a GPU that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.engine.llama.load import llama_factory, this_machine
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.testing.tiny_models import write_tiny_model


def test_layers_for_a_gpu_on_a_build_without_one(tmp_path: Path) -> None:
    """One warning; asked and used layers and the device are told apart."""
    if this_machine().has_gpu:
        pytest.skip("this build of llama.cpp has a GPU")
    path = write_tiny_model(tmp_path / "tiny.gguf")
    backend = llama_factory(LlamaOptions(path, 256, 1, 64, threads=1, gpu_layers=20))(lambda _share: True)
    info = backend.info
    backend.close()
    assert ("20", "0", "cpu") == (info.asked["gpu_layers"], info.effective["gpu_layers"], info.effective["device"])
    assert ("gpu_layers is 0 instead of 20: this build of llama.cpp sees no GPU",) == info.warnings

"""Case 79, as `doctor` tells it: layers asked for a GPU that this build or this machine does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.cli.checks import Check, Verdict
from codeassistd.cli.checks_daemon import check_device, check_warnings
from codeassistd.cli.doctor import look
from codeassistd.engine.llama.load import llama_factory, this_machine
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model


@pytest.mark.slow
def test_doctor_says_which_build_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a daemon: the library is tried, and the layers asked for are held against what it can."""
    if this_machine().has_gpu:
        pytest.skip("this build of llama.cpp has a GPU")
    monkeypatch.setenv("CODEASSISTD_MODEL__GPU_LAYERS", "20")
    monkeypatch.setenv("CODEASSISTD_MODEL__NAME", str(write_tiny_model(tmp_path / "tiny.gguf")))

    checks = {check.name: check for check in look(Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")}))}

    assert Verdict.OK is checks["llama.cpp"].verdict
    assert "one batch read" in checks["llama.cpp"].found
    assert (Verdict.WARN, "20 layers are asked for, but this build uses none") == (
        checks["gpu"].verdict,
        checks["gpu"].found,
    )
    assert "-DGGML_CUDA=on" in checks["gpu"].remedy


def test_doctor_says_what_a_running_daemon_uses(tmp_path: Path) -> None:
    """Asked and used device and layers, and the one warning of the load."""
    if this_machine().has_gpu:
        pytest.skip("this build of llama.cpp has a GPU")
    path = write_tiny_model(tmp_path / "tiny.gguf")
    backend = llama_factory(LlamaOptions(path, 256, 1, 64, threads=1, gpu_layers=20))(lambda _share: True)
    info = backend.info
    backend.close()

    model = {"asked": dict(info.asked), "effective": dict(info.effective)}

    assert [
        Check(
            "device",
            Verdict.WARN,
            "cpu, 0 layers on a GPU where 20 are asked for",
            "set model.gpu_layers = -1 for as many as there can be",
        )
    ] == list(check_device(model))
    assert [
        Check("fallback", Verdict.WARN, "gpu_layers is 0 instead of 20: this build of llama.cpp sees no GPU")
    ] == list(check_warnings(info.warnings))

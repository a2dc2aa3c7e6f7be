from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codeassistd.config import ModelSettings
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.speed import measure_speed
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model

SETTINGS = ModelSettings(n_ctx=512, threads=1)


@pytest.mark.slow
def test_a_model_is_measured_in_a_child(tmp_path: Path) -> None:
    """Both speeds and the size of its weights come back; the library is not loaded here."""
    path = write_tiny_model(tmp_path / "tiny.gguf")
    speed = measure_speed(path, SETTINGS)
    assert speed.read_ms > 0
    assert speed.write_ms > 0
    assert (read_header(path).n_weight_bytes, "cpu") == (speed.n_weight_bytes, speed.device)


@pytest.mark.slow
def test_a_copy_in_another_format_is_measured_and_thrown_away(tmp_path: Path) -> None:
    """It is smaller than the file of 32-bit floats that it was made from."""
    path = write_tiny_model(tmp_path / "tiny.gguf")
    assert measure_speed(path, SETTINGS, "F16").n_weight_bytes < read_header(path).n_weight_bytes
    assert ["tiny.gguf"] == [file.name for file in tmp_path.iterdir()]


@pytest.mark.slow
def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    """As the child says it."""
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(ModelLoadError, match=r"x\.gguf"):
        measure_speed(path, SETTINGS)


def test_a_child_that_dies_or_hangs_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes nobody along."""
    dead = tmp_path / "python"
    dead.write_text("#!/bin/sh\nkill -ILL $$\n", encoding="utf-8")
    dead.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(dead))
    with pytest.raises(ModelLoadError, match=r"could not be measured \(exit code -4\); see `codeassistd doctor`"):
        measure_speed(tmp_path / "x.gguf", SETTINGS)
    dead.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    with pytest.raises(ModelLoadError, match="could not be measured within 0 s"):
        measure_speed(tmp_path / "x.gguf", SETTINGS, timeout_s=0.01)

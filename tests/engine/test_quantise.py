from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.quantise import FileType, read_by_processor, requantise
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model


def test_a_copy_is_smaller_whole_and_private(tmp_path: Path) -> None:
    """Q4_0 of a file of 32-bit numbers is less than half as long, says its format, and leaves nothing beside it."""
    source = write_tiny_model(tmp_path / "tiny.gguf")
    target = tmp_path / "tiny.q4_0.gguf"
    requantise(source, target, FileType.Q4_0)
    header = read_header(target)
    assert 2 == header.metadata["general.file_type"]
    assert header.n_bytes <= target.stat().st_size < source.stat().st_size / 2
    assert ["tiny.gguf", "tiny.q4_0.gguf"] == sorted(path.name for path in tmp_path.iterdir())
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(target.stat().st_mode)


def test_a_quantised_file_can_be_quantised_again(tmp_path: Path) -> None:
    """The starter is published in one 4-bit format and read fastest in another."""
    source = write_tiny_model(tmp_path / "tiny.gguf")
    requantise(source, tmp_path / "q8.gguf", FileType.Q8_0)
    requantise(tmp_path / "q8.gguf", tmp_path / "q4.gguf", FileType.Q4_0)
    assert 2 == read_header(tmp_path / "q4.gguf").metadata["general.file_type"]


def test_a_damaged_source_leaves_no_target(tmp_path: Path) -> None:
    """A cut file is one line, and an older copy stays as it was."""
    source = write_tiny_model(tmp_path / "tiny.gguf")
    source.write_bytes(source.read_bytes()[:-5000])
    target = tmp_path / "copy.gguf"
    target.write_bytes(b"older")
    with pytest.raises(ModelLoadError, match="is cut off"):
        requantise(source, target, FileType.Q4_0)
    assert b"older" == target.read_bytes()
    assert ["copy.gguf", "tiny.gguf"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_model_that_llama_cpp_refuses_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A sound file of an unknown architecture is refused without llama.cpp's log on the terminal."""
    source = write_tiny_model(tmp_path / "tiny.gguf")
    content = source.read_bytes()
    source.write_bytes(content.replace(b"llama", b"lxama"))
    with pytest.raises(ModelLoadError, match="as Q4_0 cannot be written: ") as raised:
        requantise(source, tmp_path / "copy.gguf", FileType.Q4_0)
    assert "\n" not in str(raised.value)
    assert ("", "") == capfd.readouterr()


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """Nowhere to write is the caller's fault in words, not in a traceback."""
    source = write_tiny_model(tmp_path / "tiny.gguf")
    with pytest.raises(ModelLoadError, match="cannot be written: No such file"):
        requantise(source, tmp_path / "none" / "copy.gguf", FileType.Q4_0)


def test_without_layers_for_a_gpu_the_processor_reads() -> None:
    """Whatever the build can do, no layer was given away."""
    assert read_by_processor(0)

"""The head of a model file: what is wrong with it, in one line, before llama.cpp sees it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeassistd.engine.llama.header import read_header
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import QWEN, TinyModel, write_tiny_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole and good file."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", TinyModel(QWEN))


def cause(path: Path, exit_code: int = 2) -> str:
    with pytest.raises(ModelLoadError) as caught:
        read_header(path)
    assert ("\n" not in str(caught.value), exit_code) == (True, caught.value.exit_code)
    return str(caught.value).removeprefix(str(path)).strip()


def test_a_good_file_tells_what_it_is(tiny: Path) -> None:
    """Architecture, numbers of it, and exactly the length that the file has."""
    header = read_header(tiny)
    assert ("llama", 512, 0) == (header.architecture, header.number("context_length"), header.number("nothing"))
    assert 0 <= tiny.stat().st_size - header.n_bytes < 32  # the writer may pad the last tensor


@pytest.mark.parametrize("n_kept", [5, 30, 100, 4000])
def test_a_file_that_ends_in_its_head(tiny: Path, tmp_path: Path, n_kept: int) -> None:
    """Wherever the head is cut, it is said that the file is cut."""
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(tiny.read_bytes()[:n_kept])
    assert "is cut off inside its head; pull or copy it again" == cause(cut)


def test_a_file_that_ends_in_its_tensors(tiny: Path, tmp_path: Path) -> None:
    """Both lengths are named."""
    cut = tmp_path / "cut.gguf"
    n_bytes = read_header(tiny).n_bytes
    cut.write_bytes(tiny.read_bytes()[: n_bytes - 1])
    assert f"is cut off: it has {n_bytes - 1} bytes, but its tensors need {n_bytes}; pull or copy it again" == cause(
        cut
    )


@pytest.mark.parametrize("content", [b"", b"GG", b"PK\x03\x04 a zip", b"# a text\n" * 100])
def test_a_file_of_another_type(tmp_path: Path, content: bytes) -> None:
    """Anything that does not begin like a GGUF file is said not to be one."""
    other = tmp_path / "other.gguf"
    other.write_bytes(content)
    assert "is not a GGUF file; give a model in that format" == cause(other)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    """A path that leads nowhere, and one that leads to a folder, have their own causes."""
    missing = tmp_path / "missing.gguf"
    assert f"there is no model file at {missing}; see `codeassistd model list`" == cause(missing, 1)
    assert cause(tmp_path, 1).startswith("cannot be read: ")


def test_a_newer_format(tiny: Path, tmp_path: Path) -> None:
    """A version that nobody knew when this was written is not guessed at."""
    newer = tmp_path / "newer.gguf"
    data = bytearray(tiny.read_bytes())
    data[4] = 9
    newer.write_bytes(data)
    assert "is damaged or of a newer format: version 9 is not one of (2, 3)" == cause(newer)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(4, 12_000), value=st.integers(0, 255))
def test_damage_is_an_error_or_harmless(tiny: Path, tmp_path: Path, place: int, value: int) -> None:
    """Any changed byte of the head gives a header or a load error, never another exception."""
    data = bytearray(tiny.read_bytes())
    data[place] = value
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(data)
    with suppress(ModelLoadError):
        assert read_header(damaged).n_bytes > 0

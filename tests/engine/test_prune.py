"""The first layers of a model as a model of its own."""

from __future__ import annotations

import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.llama.prune import write_first_layers
from codeassistd.errors import CodeassistdError, ModelLoadError, UsageError
from codeassistd.testing.tiny_models import QWEN, TinyModel, write_tiny_model


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A model of four layers, in a folder of its own."""
    (tmp_path / "models").mkdir()
    return write_tiny_model(tmp_path / "models" / "main.gguf", TinyModel(QWEN, n_layers=4))


def test_the_draft_is_private_loads_and_fits(source: Path, tmp_path: Path) -> None:
    """Two of four layers: smaller by two, with the main model's vocabulary, and nothing is left beside it."""
    target = tmp_path / "draft.gguf"
    told: list[tuple[int, int]] = []
    assert 4 == write_first_layers(source, target, 2, lambda done, total: told.append((done, total)))
    header = read_header(target)
    assert (2, 2) == (header.number("block_count"), len(header.layer_bytes))
    assert (0, pytest.approx(target.stat().st_size, rel=0.02)) == told[0]
    assert {"draft.gguf", "models"} == {path.name for path in tmp_path.iterdir()}
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(target.stat().st_mode)
    options = LlamaOptions(source, n_ctx=256, n_slots=2, n_batch=64, threads=1, draft_path=target)
    backend = llama_factory(options)(lambda _share: True)
    assert isinstance(backend, LlamaBackend)
    assert () == backend.info.warnings
    assert backend.draft is not None
    backend.close()


@pytest.mark.parametrize("n_layers", [-1, 0, 4, 5])
def test_so_many_layers_there_are_not(n_layers: int, source: Path, tmp_path: Path) -> None:
    """All of them or none is no draft; the message says what there is."""
    with pytest.raises(UsageError, match=rf"--layers {n_layers}: .* has 4 layers, so take 1 to 3"):
        write_first_layers(source, tmp_path / "draft.gguf", n_layers)


def _cut(source: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    source.write_bytes(source.read_bytes()[:-1000])


def _full(_source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(100, 99, 1))  # type: ignore[attr-defined]  # the type it gives


def _unknown(source: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    source.write_bytes(source.read_bytes().replace(b"llama", b"lxama"))


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (_cut, "is cut off"),
        (_full, r"would have 0 MB, but 0 MB are free there; make room"),
        (_unknown, "the first layers of .* cannot be written: "),
    ],
)
def test_what_cannot_be_written_is_one_line_and_leaves_the_older_one(
    spoil: Callable[[Path, pytest.MonkeyPatch], None],
    cause: str,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A damaged source, a full disk, a model that llama.cpp does not know."""
    target = tmp_path / "draft.gguf"
    target.write_bytes(b"older")
    spoil(source, monkeypatch)
    with pytest.raises(CodeassistdError, match=cause) as raised:
        write_first_layers(source, target, 2)
    assert "\n" not in str(raised.value)
    assert b"older" == target.read_bytes()
    assert {"draft.gguf", "models"} == {path.name for path in tmp_path.iterdir()}


def test_a_folder_that_is_not_there_is_one_line(source: Path, tmp_path: Path) -> None:
    """Nowhere to write."""
    with pytest.raises(ModelLoadError, match="cannot be written: No such file"):
        write_first_layers(source, tmp_path / "none" / "draft.gguf", 2)

"""LoRA adapters over a tiny model: they change what it says, belong to its identity, and are left out where wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from codeassistd.engine.backend import BackendInfo, Batch
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions, LoraAdapter
from codeassistd.testing.tiny_models import write_tiny_lora, write_tiny_model

TEXT = list(b"def add(a, b):\n    return a + b\n")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")


def scores(model: Path, *adapters: LoraAdapter) -> tuple[np.ndarray, BackendInfo]:
    """What the model says with these adapters, and what it says of itself."""
    options = LlamaOptions(model, n_ctx=256, n_slots=1, n_batch=64, threads=1, lora=adapters)
    backend = llama_factory(options)(lambda _share: True)
    rows = backend.decode(Batch(TEXT, range(len(TEXT)), [0] * len(TEXT), [False] * (len(TEXT) - 1) + [True]))
    assert rows is not None
    row = rows[0].copy()
    backend.close()
    return row, backend.info


@pytest.mark.parametrize(
    ("text", "path", "scale"),
    [
        ("/a/b.gguf", "/a/b.gguf", 1.0),
        ("/a/b.gguf=0.5", "/a/b.gguf", 0.5),
        ("/a/b=c.gguf", "/a/b=c.gguf", 1.0),
        ("/a/b=2.gguf=-1", "/a/b=2.gguf", -1.0),
        ("/a/b.gguf=half", "/a/b.gguf=half", 1.0),
    ],
)
def test_adapters_as_the_settings_name_them(text: str, path: str, scale: float) -> None:
    """A number behind the last equals sign is the scale; anything else belongs to the path."""
    assert LoraAdapter(Path(path), scale) == LoraAdapter.parse(text)


def test_an_adapter_changes_what_the_model_says(tiny: Path, tmp_path: Path) -> None:
    """By its scale: at 0 nothing, at 1 more than at a half; and what is in force says so."""
    lora = write_tiny_lora(tmp_path / "lora.gguf")
    plain, info = scores(tiny)
    assert "none" == info.effective["lora"]
    none, _ = scores(tiny, LoraAdapter(lora, 0.0))
    half, _ = scores(tiny, LoraAdapter(lora, 0.5))
    full, info = scores(tiny, LoraAdapter(lora))
    np.testing.assert_allclose(plain, none, atol=1e-4)
    assert 0.05 < np.abs(half - plain).mean() < np.abs(full - plain).mean()
    assert f"{lora}=1" == info.asked["lora"] == info.effective["lora"]
    assert () == info.warnings


def test_adapters_belong_to_the_identity(tiny: Path, tmp_path: Path) -> None:
    """States and answers are told apart by an adapter's content, scale and order, not by its name."""
    one = write_tiny_lora(tmp_path / "one.gguf")
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(one.read_bytes())
    two = write_tiny_lora(tmp_path / "two.gguf", seed=1)
    wanted = [
        (),
        (LoraAdapter(one),),
        (LoraAdapter(one, 0.5),),
        (LoraAdapter(two),),
        (LoraAdapter(one), LoraAdapter(two)),
    ]
    infos = [scores(tiny, *adapters)[1] for adapters in wanted]
    assert len(wanted) == len({info.model_id for info in infos}) == len({info.state_id for info in infos})
    _, same = scores(tiny, LoraAdapter(copy))
    assert (infos[1].model_id, infos[1].state_id) == (same.model_id, same.state_id)


def _missing(path: Path) -> None:
    del path


def _foreign(path: Path) -> None:
    path.write_text("not a model")


def _whole_model(path: Path) -> None:
    write_tiny_model(path)


def _other_architecture(path: Path) -> None:
    write_tiny_lora(path, architecture="qwen2")


def _cut(path: Path) -> None:
    write_tiny_lora(path)
    path.write_bytes(path.read_bytes()[:-100])


def _other_shape(path: Path) -> None:
    write_tiny_lora(path, width=48)


@pytest.mark.parametrize(
    ("write", "cause"),
    [
        (_missing, "there is no file at"),
        (_foreign, "is not a GGUF file"),
        (_whole_model, "is no LoRA adapter, but of the type model"),
        (_other_architecture, "is for models of the architecture qwen2, and this one is llama"),
        (_cut, "is cut off: it has"),
        (_other_shape, "does not fit this model: tensor 'blk.0."),
    ],
)
def test_a_wrong_adapter_is_left_out_with_its_cause(
    write: Callable[[Path], None], cause: str, tiny: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The model serves without it, and the others are used; one line says why, and no log of llama.cpp does."""
    good, bad = write_tiny_lora(tmp_path / "good.gguf"), tmp_path / "bad.gguf"
    write(bad)
    with_good, _ = scores(tiny, LoraAdapter(good))
    row, info = scores(tiny, LoraAdapter(bad), LoraAdapter(good))
    np.testing.assert_array_equal(with_good, row)
    assert (f"{bad}=1, {good}=1", f"{good}=1") == (info.asked["lora"], info.effective["lora"])
    (warning,) = info.warnings
    assert warning.startswith("the model is used without an adapter: ")
    assert cause in warning
    assert "\n" not in warning
    assert ("", "") == capfd.readouterr()

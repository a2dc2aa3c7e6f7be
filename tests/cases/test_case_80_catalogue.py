"""Case 80, the catalogue's half: a file that cannot be a model is told apart before anything loads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.catalogue.progress import ignore_progress
from codeassistd.errors import ModelError, ModelFileError, ModelLoadError, UnknownModelError
from tests.support.hub import MODEL, Hub, make_hub
from tests.support.loopback import loopback


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with loopback() as server:
        yield make_hub(tmp_path / "home", server)


def test_four_causes_have_four_lines(hub: Hub, tmp_path: Path) -> None:
    """Missing, cut to 90 %, of a wrong type and not readable: each says which, and none chooses the model."""
    pulled = hub.catalogue.pull("tiny", ignore_progress).path
    pulled.write_bytes(MODEL[: len(MODEL) * 9 // 10])
    text = tmp_path / "model.gguf"
    text.write_text("<html>", encoding="utf-8")
    folder = tmp_path / "folder.gguf"
    folder.mkdir()
    causes = {
        str(tmp_path / "none.gguf"): (UnknownModelError, "there is no model file at "),
        "tiny": (ModelLoadError, "has 900003 bytes, but was pulled with 1000004; get it again: codeassistd model pull"),
        str(text): (ModelFileError, "is not a GGUF file; choose one that ends in .gguf"),
        str(folder): (UnknownModelError, "there is no model file at "),
    }
    for name, (kind, message) in causes.items():
        with pytest.raises(kind) as raised:
            hub.catalogue.use(name)
        assert message in str(raised.value)
        assert "\n" not in str(raised.value)
    assert hub.catalogue.current() is None


def test_a_cut_model_is_mended_by_pulling_it(hub: Hub) -> None:
    """The command that the error names is the remedy."""
    path = hub.catalogue.pull("tiny", ignore_progress).path
    path.write_bytes(MODEL[:100])
    assert MODEL == hub.catalogue.pull("tiny", ignore_progress).path.read_bytes()


def test_a_failed_choice_leaves_the_old_one(hub: Hub, tmp_path: Path) -> None:
    """Switching to something that is not there keeps the model in force."""
    hub.catalogue.pull("tiny", ignore_progress)
    hub.catalogue.use("tiny")
    with pytest.raises(ModelError):
        hub.catalogue.use(str(tmp_path / "none.gguf"))
    assert "tiny" == hub.catalogue.current()

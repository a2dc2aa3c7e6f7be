"""The model in force: tried in a child before its first load, and only then loaded by the daemon itself."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config import ModelSettings
from codeassistd.daemon.model import Model
from codeassistd.engine.llama import first_load, load
from codeassistd.engine.llama.probe import ProbeResult, explain
from codeassistd.errors import ModelError, ModelLoadError
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model


@pytest.fixture
def model(tmp_path: Path) -> Model:
    """A tiny model by its path, with a memory of what was tried."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})
    settings = ModelSettings(
        name=str(write_tiny_model(tmp_path / "tiny.gguf")), n_ctx=256, n_slots=1, n_batch=64, threads=1
    )
    return Model(Catalogue(paths), settings, tried_file=paths.tried_file)


def test_what_kills_the_child_never_reaches_the_daemon(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """An illegal instruction, say: the load fails with its cause, and llama.cpp is not asked."""

    def dying(*_: Any) -> ProbeResult:
        return explain(-signal.SIGILL, "step: library\nstep: model\nstep: batch\n", "")

    monkeypatch.setattr(first_load, "probe", dying)
    monkeypatch.setattr(load, "_load_alone", None)
    with pytest.raises(ModelLoadError, match="built for another processor"):
        model.load(lambda _share: True)
    assert model.prepared is None


def test_a_load_that_came_to_nothing_is_not_the_model_in_force(model: Model, tmp_path: Path) -> None:
    """While another file is loaded, or was in vain, the serving model is told and asked as what it is."""
    serving = model.load(lambda _share: True)
    other = write_tiny_model(tmp_path / "other.gguf")
    model.settings = model.settings.model_copy(update={"name": str(other)})
    model.load(lambda _share: True).close()  # given up by the engine
    prepared = model.prepared_of(serving.vocabulary)
    serving.close()
    assert prepared is not None
    assert tmp_path / "tiny.gguf" == prepared.path


def test_only_a_daemon_logs_that_a_load_failed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever loads a model in a process of their own tells its user once, by the error."""
    model = Model(Catalogue(Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})), ModelSettings(name="starter"))
    with pytest.raises(ModelError, match=r"^starter is not on this machine"):
        model.load(lambda _share: True)
    assert [] == caplog.messages
    with pytest.raises(ModelError) as failed:
        model.load_logged(lambda _share: True)
    assert [f"the model was not loaded: {failed.value}"] == caplog.messages


@pytest.mark.slow
def test_a_model_is_tried_once_and_loaded(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second load starts no child."""
    model.load(lambda _share: True).close()
    monkeypatch.setattr(subprocess, "Popen", None)
    model.load(lambda _share: True).close()
    assert model.prepared is not None

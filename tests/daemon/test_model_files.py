from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config import ModelSettings
from codeassistd.daemon.model_files import PreparedModel, chosen_model, prepare_model
from codeassistd.engine.llama.header import read_header
from codeassistd.errors import ModelError
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model

ON_CPU = {"gpu_layers": 0}


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """A catalogue with a tiny model that may be repacked."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})
    folder = paths.config_dir / "models"
    folder.mkdir(parents=True)
    write_tiny_model(folder / "tiny.gguf")
    (folder / "tiny.toml").write_text(
        """
        name = "tiny"
        title = "Tiny"
        context_length = 512
        repack = true
        source = { kind = "local", path = "tiny.gguf" }
        licence = { name = "MIT", url = "https://example.org" }
        profile = { order = "prefix" }
        """,
        encoding="utf-8",
    )
    return Catalogue(paths)


def test_the_copy_is_made_once_and_loaded(catalogue: Catalogue) -> None:
    """The first start makes it, the next ones find it, and the original stays."""
    original = catalogue.resolve("tiny")
    prepared = prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU))
    expected = PreparedModel(
        "tiny",
        original.repacked or Path(),
        original.manifest,
        asked=(("model", "tiny"), ("repack", "yes"), ("draft", "none")),
        effective=(("model", "tiny"), ("file_type", "Q4_0")),
    )
    assert expected == prepared
    assert 2 == read_header(prepared.path).metadata["general.file_type"]
    made_at = prepared.path.stat().st_mtime_ns
    assert expected == prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU))
    assert made_at == prepared.path.stat().st_mtime_ns
    assert original.path.is_file()


def test_a_copy_older_than_its_model_is_made_anew(catalogue: Catalogue) -> None:
    """A local file that was replaced is not read from the copy of its predecessor."""
    copy = prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU)).path
    copy.write_bytes(b"stale")
    os.utime(copy, (1, 1))
    prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU))
    assert 2 == read_header(copy).metadata["general.file_type"]


def test_a_damaged_copy_is_made_anew(catalogue: Catalogue) -> None:
    """It is ours and can be had again, so the user hears nothing of it; to pull the model anew would not help."""
    copy = prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU)).path
    whole = copy.read_bytes()
    copy.write_bytes(whole[:-5000])
    prepared = prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU))
    assert (copy, ()) == (prepared.path, prepared.warnings)
    assert whole == copy.read_bytes()


def test_repacking_can_be_switched_off(catalogue: Catalogue) -> None:
    """The published file is loaded, and no copy is made."""
    prepared = prepare_model(catalogue, ModelSettings(name="tiny", repack=False, **ON_CPU))
    assert catalogue.resolve("tiny").path == prepared.path
    assert (("model", "tiny"), ("file_type", "as published")) == prepared.effective
    assert not (catalogue.resolve("tiny").repacked or Path()).is_file()


def test_a_copy_that_cannot_be_made_falls_back_with_one_warning(catalogue: Catalogue) -> None:
    """The original is loaded, slower, and `status` says why."""
    original = catalogue.resolve("tiny")
    original.path.write_bytes(original.path.read_bytes()[:-5000])
    prepared = prepare_model(catalogue, ModelSettings(name="tiny", **ON_CPU))
    assert original.path == prepared.path
    (warning,) = prepared.warnings
    assert warning.startswith("tiny is read as published, which is slower here: ")


def test_a_bare_file_is_loaded_as_it_is(catalogue: Catalogue, tmp_path: Path) -> None:
    """Without a manifest nobody has said that the copy is good enough."""
    path = write_tiny_model(tmp_path / "own.gguf")
    prepared = prepare_model(catalogue, ModelSettings(name=str(path), **ON_CPU))
    assert (path, None) == (prepared.path, prepared.manifest)


def test_a_draft_model_is_found_by_name_or_path(catalogue: Catalogue, tmp_path: Path) -> None:
    """In the format that is read fastest where its manifest allows it; and what was asked is told."""
    path = write_tiny_model(tmp_path / "own.gguf")
    prepared = prepare_model(catalogue, ModelSettings(name=str(path), draft="tiny", **ON_CPU))
    assert catalogue.resolve("tiny").repacked == prepared.draft
    assert ("draft", "tiny") in prepared.asked
    prepared = prepare_model(catalogue, ModelSettings(name="tiny", draft=str(path), **ON_CPU))
    assert (path, ()) == (prepared.draft, prepared.warnings)


def test_a_draft_model_that_is_not_here_is_one_warning(catalogue: Catalogue) -> None:
    """The main model is loaded without it."""
    prepared = prepare_model(catalogue, ModelSettings(name="tiny", draft="starter", **ON_CPU))
    assert prepared.draft is None
    (warning,) = prepared.warnings
    assert warning.startswith("the model is used without a draft model: starter is not on this machine; get it with")


def test_the_manifests_own_draft_model_is_taken_if_it_is_here(catalogue: Catalogue) -> None:
    """`auto` takes it, and says nothing where it was not pulled; with `max_draft` 0 none is loaded."""
    manifest = Paths.resolve({"CODEASSISTD_HOME": str(_home_of(catalogue))}).config_dir / "models" / "tiny.toml"
    text = manifest.read_text(encoding="utf-8")
    for drafter, expected in (("starter", None), ("tiny", catalogue.resolve("tiny").repacked)):
        manifest.write_text(text.replace("context_length", f'drafter = "{drafter}"\ncontext_length', 1), "utf-8")
        prepared = prepare_model(catalogue, ModelSettings(name="tiny", draft="auto", **ON_CPU))
        assert (expected, ()) == (prepared.draft, prepared.warnings)
    assert prepare_model(catalogue, ModelSettings(name="tiny", draft="auto", max_draft=0, **ON_CPU)).draft is None


def _home_of(catalogue: Catalogue) -> Path:
    return catalogue.drafts.folder.parent.parent


def test_which_model_is_in_force(catalogue: Catalogue) -> None:
    """A name set by hand, else the one of `model use`, else the default."""
    assert "starter" == chosen_model(catalogue, ModelSettings())
    catalogue.use("tiny")
    assert "tiny" == chosen_model(catalogue, ModelSettings())
    assert "starter" == chosen_model(catalogue, ModelSettings(name="starter"))


def test_the_chosen_model_is_known_without_the_library() -> None:
    """`doctor` asks for it where llama.cpp cannot be loaded at all."""
    code = "import sys; sys.modules['llama_cpp'] = None; import codeassistd.daemon.model_files"
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_a_model_that_is_not_here_is_said(catalogue: Catalogue) -> None:
    """The error is the command that gets it."""
    with pytest.raises(ModelError, match="codeassistd model pull starter"):
        prepare_model(catalogue, ModelSettings())

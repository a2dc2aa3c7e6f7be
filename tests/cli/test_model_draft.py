"""`model draft` from the command line to a name that `model.draft` knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.catalogue.drafts import draft_name
from codeassistd.cli import app
from codeassistd.config import ModelSettings
from codeassistd.daemon.model_files import prepare_model
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import TinyModel, write_tiny_model


@pytest.fixture(autouse=True)
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A home of its own."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    return Paths.resolve()


@pytest.fixture
def main_file(tmp_path: Path) -> Path:
    """A model of four layers."""
    return write_tiny_model(tmp_path / "my model.gguf", TinyModel(n_layers=4))


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_draft_can_be_named_in_the_settings(
    capsys: pytest.CaptureFixture[str], main_file: Path, paths: Paths
) -> None:
    """Written, listed, found by `model.draft`, and removed again."""
    code, out, err = run(capsys, "model", "draft", "--layers", "2", "--model", str(main_file))
    target = paths.drafts_dir / "my-model-2layers.gguf"
    assert (0, f"{target}\n") == (code, out)
    assert 'model.draft = "my-model-2layers"' in err
    assert "it will seldom guess right" in err
    assert "my-model-2layers" in run(capsys, "model", "list")[1]
    prepared = prepare_model(Catalogue(paths), ModelSettings(name=str(main_file), draft="my-model-2layers"))
    assert target == prepared.draft
    assert 0 == run(capsys, "model", "remove", "my-model-2layers")[0]
    assert not target.exists()


def test_an_older_draft_is_replaced_only_if_asked(
    capsys: pytest.CaptureFixture[str], main_file: Path, paths: Paths
) -> None:
    """One line says how; nothing was touched."""
    argv = ("model", "draft", "--layers", "2", "--model", str(main_file))
    run(capsys, *argv)
    target = paths.drafts_dir / "my-model-2layers.gguf"
    target.write_bytes(b"older")
    code, out, err = run(capsys, *argv)
    assert (2, "") == (code, out)
    assert f"my-model-2layers is at {target} already; write it anew with --replace" in err
    assert b"older" == target.read_bytes()
    assert 0 == run(capsys, *argv, "--replace")[0]
    assert b"older" != target.read_bytes()


def test_the_report_for_programs(capsys: pytest.CaptureFixture[str], main_file: Path, paths: Paths) -> None:
    """The keys that scripts may rely on."""
    code, out, _ = run(capsys, "model", "draft", "--layers", "3", "--model", str(main_file), "--json")
    report = json.loads(out)
    target = paths.drafts_dir / "my-model-3layers.gguf"
    assert (0, "model draft") == (code, report["command"])
    assert {"layers": 3, "model": str(main_file)} == report["asked"]
    assert {
        "model": str(main_file),
        "source": str(main_file),
        "name": "my-model-3layers",
        "path": str(target),
    } == report["effective"]
    assert {"n_layers": 3, "n_layers_of_model": 4, "size_bytes": target.stat().st_size} == report["figures"]


def test_too_many_layers_are_exit_code_2(capsys: pytest.CaptureFixture[str], main_file: Path) -> None:
    """With what there is, in one line."""
    code, out, err = run(capsys, "model", "draft", "--layers", "4", "--model", str(main_file))
    assert (2, "") == (code, out)
    assert "has 4 layers, so take 1 to 3" in err
    assert 1 == err.count("\n")


@pytest.mark.parametrize(
    ("model", "expected"),
    [("starter", "starter-8layers"), ("/a/b/My Model v2.gguf", "My-Model-v2-8layers"), ("~/x.gguf", "x-8layers")],
)
def test_drafts_are_named_by_their_model(model: str, expected: str) -> None:
    """A name that can be a file's, whatever the model's was."""
    assert expected == draft_name(model, 8)

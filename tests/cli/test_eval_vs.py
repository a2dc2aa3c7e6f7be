"""`--vs KEY=VALUE` of every eval."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeassistd.cli.app import application
from codeassistd.cli.eval_vs import other_settings, show_vs
from codeassistd.errors import ConfigError
from codeassistd.evals.paired import vs_rows
from codeassistd.paths import Paths


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})


def test_the_other_side_has_our_settings_and_its_own(paths: Paths) -> None:
    """Its own come last."""
    ours = {"model.n_ctx": "512", "model.kv_type_k": "f16"}
    both, settings = other_settings(paths, ours, ["model.kv_type_k=q8_0", "model.kv_type_v=q8_0"])

    assert {"model.n_ctx": "512", "model.kv_type_k": "q8_0", "model.kv_type_v": "q8_0"} == both
    assert settings is not None
    assert (512, "q8_0", "q8_0") == (settings.model.n_ctx, settings.model.kv_type_k, settings.model.kv_type_v)


def test_without_it_there_is_no_other_side(paths: Paths) -> None:
    """Whatever is set."""
    assert ({}, None) == other_settings(paths, {"model.n_ctx": "512"}, None)


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("model.kv_typ_k=q8_0", "--vs: unknown setting model.kv_typ_k; did you mean model.kv_type_k?"),
        ("eagerness", "--vs eagerness: write it as key=value, for example --vs completion.enabled=false"),
        ("model.n_ctx=few", "--vs: model.n_ctx cannot be 'few'; it takes: whole number from 256 to 1048576"),
        ("index.watch=off", "--vs index.watch: it makes no difference here; what does is model.*, context.*"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_line(paths: Paths, assignment: str, told: str) -> None:
    """With the nearest name, or what would make a difference."""
    with pytest.raises(ConfigError) as error:
        other_settings(paths, {}, [assignment], ("model", "context"))

    assert told == str(error.value)


@pytest.mark.parametrize("verb", ["chat", "context .", "fit .", "gate .", "infill x", "long", "repo .", "scenarios"])
def test_every_eval_refuses_an_unknown_key_before_it_does_anything(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No model is read, and no daemon started, for a slip."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    result = CliRunner().invoke(application(), ["eval", *verb.split(), "--vs", "model.kv_typ_k=q8_0"])

    assert isinstance(result.exception, ConfigError)
    assert "did you mean model.kv_type_k?" in str(result.exception)
    assert [] == [path for path in tmp_path.rglob("*") if path.is_file()]


def test_the_comparison_is_printed_with_its_interval(capsys: pytest.CaptureFixture[str]) -> None:
    """And in words where nothing is seen."""
    show_vs(list(vs_rows({"pass_at_1": ([0.0] * 8, [1.0, *[0.0] * 7]), "nll": ([1.0, 2.0], [1.5, 2.5])})))
    lines = capsys.readouterr().out.splitlines()

    assert "with the settings of --vs, case by case" == lines[1].strip()
    assert "pass_at_1  8      0.000  0.125   +0.125 (+0.000 to +0.375)  no difference seen" == lines[3].strip()
    assert "nll        2      1.500  2.000   +0.500 (+0.500 to +0.500)  more" == lines[4].strip()

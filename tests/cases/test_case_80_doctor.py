"""Case 80, as `doctor` tells it: a model that does not load has a line with its cause, and each cause is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.cli.checks import Check, Verdict
from codeassistd.cli.checks_daemon import check_state, check_warnings
from codeassistd.cli.doctor import look
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions, Machine
from codeassistd.engine.llama.probe import ProbeResult
from codeassistd.errors import ModelLoadError
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model


def model_line(home: Path, monkeypatch: pytest.MonkeyPatch, model: Path) -> Check:
    monkeypatch.setenv("CODEASSISTD_MODEL__NAME", str(model))
    # What the library does with no model is another case, and takes seconds.
    monkeypatch.setattr("codeassistd.cli.doctor.probe", _not_tried)
    (found,) = (check for check in look(Paths.resolve({"CODEASSISTD_HOME": str(home)})) if check.name == "model")
    return found


def _not_tried(model: Path | None) -> ProbeResult:
    del model
    return ProbeResult(None, "not tried")


def test_three_faults_of_a_file_have_three_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, cut to 90 %, another type of file: what is wrong and what to do, before anything is loaded."""
    good = write_tiny_model(tmp_path / "good.gguf")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(good.read_bytes()[: good.stat().st_size * 9 // 10])
    other = tmp_path / "other.gguf"
    other.write_bytes(b"<html>404</html>" * 1000)

    lines = [model_line(tmp_path / "home", monkeypatch, path) for path in (tmp_path / "missing.gguf", cut, other)]

    assert [Verdict.FAIL] * 3 == [line.verdict for line in lines]
    for expected, line in zip(["there is no model file at ", "cut off", "not a GGUF file"], lines, strict=True):
        assert expected in line.found
        assert line.remedy
    assert Verdict.OK is model_line(tmp_path / "home", monkeypatch, good).verdict


def test_no_memory_is_the_line_of_the_daemon(tmp_path: Path) -> None:
    """Only the load knows; its cause and its advice are told apart."""
    path = write_tiny_model(tmp_path / "good.gguf")
    assert read_header(path).n_weight_bytes > 0
    with pytest.raises(ModelLoadError) as caught:
        llama_factory(LlamaOptions(path, 256, 1, 64, threads=1), Machine(has_gpu=False, n_cores=1, free_bytes=1000))(
            lambda _share: True
        )

    line = check_state({"pid": 7, "socket": "/run/d.sock", "state": "error", "detail": str(caught.value)})

    assert Verdict.FAIL is line.verdict
    assert line.found.startswith("process 7 on /run/d.sock: error the model needs ")
    assert "close other programs or take a smaller model" == line.remedy


def test_an_old_model_that_goes_on_is_a_fallback() -> None:
    """After a reload that failed: the cause stands in the warning."""
    warning = "the other model could not be loaded, the old one goes on: there is no model file at /m.gguf"

    assert [Check("fallback", Verdict.WARN, warning)] == list(check_warnings([warning]))

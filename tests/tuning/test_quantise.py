"""Copies in other number formats, from the command line to the file."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from gguf.constants import GGMLQuantizationType

from codeassistd.catalogue.catalogue import ResolvedModel
from codeassistd.catalogue.manifest import parse_manifest
from codeassistd.cli import app, model_quantise
from codeassistd.engine.llama import written
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.quantise import FileType, requantise
from codeassistd.engine.llama.retype import write_types
from codeassistd.errors import ModelLoadError, UsageError
from codeassistd.testing.tiny_models import write_tiny_model
from codeassistd.tuning.quantise import quantise
from codeassistd.tuning.recipe import parse_rule

MARKED = """
name = "mine"
title = "Mine"
context_length = 256
repack = true
[source]
kind = "local"
path = "tiny.gguf"
[licence]
name = "none"
url = "none"
[profile]
order = "prefix"
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A model of 32-bit numbers."""
    return write_tiny_model(tmp_path / "tiny.gguf")


def bare(path: Path) -> ResolvedModel:
    return ResolvedModel(str(path), path, None)


def kinds(path: Path, part: str) -> set[str]:
    return {tensor.kind.name for name, tensor in read_header(path).tensors.items() if part in name}


def test_mixed_writes_what_it_says(source: Path, tmp_path: Path) -> None:
    """Attention in 8 bits, feed-forward in 4, the rest untouched; private, and nothing left beside it."""
    target = tmp_path / "mixed.gguf"
    told: list[tuple[int, int]] = []
    done = quantise(bare(source), target, "mixed", (), lambda n, total: told.append((n, total)))
    assert {"Q8_0"} == kinds(target, "attn_q.")
    assert kinds(target, "ffn_up.") <= {"Q4_0", "Q4_1", "Q4_K"}
    assert {"F32"} == kinds(target, "token_embd") | kinds(target, "norm")
    assert ("F32", target.stat().st_size) == (done.plan.source_names, done.target_bytes)
    assert (0, pytest.approx(done.target_bytes, rel=0.05)) == told[0]
    assert {"tiny.gguf", "mixed.gguf"} == {path.name for path in tmp_path.iterdir()}
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(target.stat().st_mode)


def test_a_coarse_source_is_refused_unless_marked_or_forced(source: Path, tmp_path: Path) -> None:
    """The message names what the source is in."""
    coarse, target = tmp_path / "coarse.gguf", tmp_path / "again.gguf"
    requantise(source, coarse, FileType.Q4_0)
    rules = [parse_rule("ffn_up=q4_1")]
    with pytest.raises(UsageError, match=r"is in Q4_0.* already: .* would go from Q4_0 to Q4_1 .*--force"):
        quantise(bare(coarse), target, "none", rules, lambda *_: None)
    assert not target.exists()
    marked = ResolvedModel("mine", coarse, parse_manifest(MARKED, "mine.toml", tmp_path))
    assert quantise(marked, target, "none", rules, lambda *_: None).plan.harmed
    assert quantise(bare(coarse), target, "none", rules, lambda *_: None, force=True).plan.harmed


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("copy.bin", "name the copy with .gguf at its end"),
        ("no/copy.gguf", "there is no folder"),
        ("tiny.gguf", "is the source itself"),
        ("older.gguf", "is there already; write over it with --force"),
        ("folder.gguf", "is a folder"),
    ],
)
def test_a_place_that_cannot_be_is_one_line(target: str, message: str, source: Path, tmp_path: Path) -> None:
    """And nothing is touched."""
    (tmp_path / "older.gguf").write_bytes(b"older")
    (tmp_path / "folder.gguf").mkdir()
    with pytest.raises(UsageError, match=message):
        quantise(bare(source), tmp_path / target, "mixed", (), lambda *_: None)
    assert b"older" == (tmp_path / "older.gguf").read_bytes()


def test_what_llama_cpp_writes_otherwise_replaces_nothing(source: Path, tmp_path: Path) -> None:
    """A format that it thinks better of is told, and the file that was there is as it was."""
    target = tmp_path / "older.gguf"
    target.write_bytes(b"older")
    with pytest.raises(ModelLoadError, match=r"blk\.0\.ffn_up\.weight as Q8_0 instead of Q6_K"):
        write_types(source, target, {"blk.0.ffn_up.weight": GGMLQuantizationType.Q6_K}, lambda *_: None)
    assert b"older" == target.read_bytes()
    assert {"tiny.gguf", "older.gguf"} == {path.name for path in tmp_path.iterdir()}


def test_a_full_disk_is_told_before_anything_is_written(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With how much there would have to be."""
    usage = type("Usage", (), {"free": 10})
    monkeypatch.setattr(written.shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(ModelLoadError, match="MB are free there; make room"):
        quantise(bare(source), tmp_path / "copy.gguf", "mixed", (), lambda *_: None)
    assert {"tiny.gguf"} == {path.name for path in tmp_path.iterdir()}


def test_the_verb_prints_and_stores_its_report(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One JSON object, the same on standard output and beside the copy; a second time it is refused."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    target = tmp_path / "copy.gguf"
    argv = ("model", "quantise", str(source), str(target), "--texts", "0", "--json")
    assert 0 == app.run(argv)
    printed = json.loads(capsys.readouterr().out)
    stored = json.loads((tmp_path / "copy.quantise.json").read_text())
    assert ("model quantise", "mixed") == (printed["command"], printed["asked"]["recipe"])
    assert printed["figures"] == stored["figures"]
    assert {"F32": pytest.approx(sum(printed["effective"]["source_types"].values()))} == printed["effective"][
        "source_types"
    ]
    assert 2 == app.run(argv)
    assert "is there already" in capsys.readouterr().err


def test_a_report_is_not_written_over_unasked(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its copy may lie elsewhere by now; told before the new one is made, and --force does it."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    report = tmp_path / "copy.quantise.json"
    report.write_text("older")
    argv = ("model", "quantise", str(source), str(tmp_path / "copy.gguf"), "--texts", "0")
    assert 2 == app.run(argv)
    line = f"codeassistd: {report} is there already, with an older report; write over it with --force\n"
    assert line == capsys.readouterr().err
    assert "older" == report.read_text()
    assert not (tmp_path / "copy.gguf").exists()
    assert 0 == app.run((*argv, "--force"))
    assert "model quantise" == json.loads(report.read_text())["command"]


def test_ctrl_c_while_the_two_are_compared_keeps_the_copy(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is whole, and a line says what was not done."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(model_quantise, "_compare", _interrupted)
    target = tmp_path / "copy.gguf"
    assert 130 == app.run(("model", "quantise", str(source), str(target)))
    assert f"codeassistd: {target} is written, but what it has lost was not measured\n" in capsys.readouterr().err
    assert read_header(target).n_bytes <= target.stat().st_size
    assert not (tmp_path / "copy.quantise.json").exists()


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are this system's")
def test_a_model_may_lie_where_no_letters_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders and files whose names are no UTF-8, in the command line, the report and the file beside the copy."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    source, target = write_tiny_model(folder / "tiny.gguf"), folder / os.fsdecode(b"c\xf6py.gguf")
    assert 0 == app.run(("model", "quantise", str(source), str(target), "--texts", "0"))
    assert target.exists()
    stored = json.loads((folder / os.fsdecode(b"c\xf6py.quantise.json")).read_text())
    assert str(target) == stored["asked"]["target"]


@pytest.mark.parametrize(
    "more", [["--recipe", "best"], ["--tensor", "x"], ["--tensor", "nothing=q8_0"]], ids=["recipe", "rule", "no tensor"]
)
def test_bad_input_is_one_line(
    more: list[str], source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and no file."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    assert 2 == app.run(("model", "quantise", str(source), str(tmp_path / "copy.gguf"), *more))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("codeassistd: ")
    assert not (tmp_path / "copy.gguf").exists()

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from codeassistd.engine.llama import probe as probing
from codeassistd.engine.llama.probe import Device, LibraryFacts, ProbeResult, explain, probe
from codeassistd.testing.tiny_models import write_tiny_model

FACTS = {
    "version": "1.2.3",
    "system_info": "CPU : AVX2 = 1",
    "gpu_offload": False,
    "devices": [{"name": "CPU", "description": "a processor", "kind": "cpu", "memory_bytes": 4}],
    "n_decoded": 8,
}
STARTED = "step: library\n"


def test_facts_come_out_of_the_childs_noise() -> None:
    """Lines that the library prints between ours are passed over."""
    expected = LibraryFacts(
        version="1.2.3",
        system_info="CPU : AVX2 = 1",
        gpu_offload=False,
        devices=(Device("CPU", "a processor", "cpu", 4),),
        n_decoded=8,
    )
    stdout = f"{STARTED}ggml: hello\nstep: batch\nfacts: {json.dumps(FACTS)}\n"
    assert ProbeResult(expected) == explain(0, stdout, "warnings")


@pytest.mark.parametrize(
    ("returncode", "stdout", "stderr", "problem"),
    [
        (
            -signal.SIGILL,
            "step: library\nstep: model\nstep: batch\n",
            "",
            "llama.cpp was built for another processor (illegal instruction while reading a batch of tokens); build it",
        ),
        (0xC000001D, STARTED, "", "llama.cpp was built for another processor (illegal instruction while loading the l"),
        (-signal.SIGSEGV, "step: model\n", "", "llama.cpp crashed while loading the model (SIGSEGV); build it for"),
        (
            -signal.SIGKILL,
            "step: model\n",
            "",
            "llama.cpp was killed while loading the model, most likely for want of memory; choose a smaller model",
        ),
        (3, "step: library\nproblem: no such library; do this\n", "noise", "no such library; do this"),
        (1, STARTED, "Traceback\nOops: x\n", "llama.cpp gave up while loading the library (exit code 1): Oops: x"),
        (-250, STARTED, "", "llama.cpp crashed while loading the library (signal 250)"),
    ],
)
def test_each_way_to_die_has_its_line(returncode: int, stdout: str, stderr: str, problem: str) -> None:
    """The cause, where it happened, and what to do."""
    result = explain(returncode, stdout, stderr)
    assert result.facts is None
    assert problem == result.problem[: len(problem)]
    assert "\n" not in result.problem


def test_the_remedy_for_amx_has_all_three_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the first flag alone the build itself fails."""
    monkeypatch.setattr(probing, "processor_flags", lambda: frozenset({"amx_tile"}))
    flags = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
    problem = explain(-signal.SIGILL, STARTED, "").problem
    assert f"-DCMAKE_C_FLAGS='{flags}' -DCMAKE_CXX_FLAGS='{flags}'" in problem
    assert f"{sys.executable} -m pip install --no-cache-dir --force-reinstall llama-cpp-python==" in problem


def test_other_processors_get_portable_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where AMX is not the cause, code for any processor of the kind is the safe answer."""
    monkeypatch.setattr(probing, "processor_flags", lambda: frozenset({"avx2"}))
    assert '"-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF"' in explain(-signal.SIGILL, STARTED, "").problem


@pytest.mark.parametrize(
    ("returncode", "is_unfit"),
    [(-signal.SIGILL, True), (0xC000001D, True), (-signal.SIGSEGV, True), (-signal.SIGKILL, False), (1, False)],
)
def test_only_a_crash_asks_for_another_build(returncode: int, *, is_unfit: bool) -> None:
    """Neither want of memory nor a fault of ours is mended by one."""
    assert is_unfit is explain(returncode, STARTED, "").is_unfit


@pytest.mark.slow
def test_a_real_child_reads_a_batch_of_several_tokens(tmp_path: Path) -> None:
    """The library of this environment works, and says what it is."""
    result = probe(write_tiny_model(tmp_path / "tiny.gguf"))
    assert "" == result.problem
    assert result.facts is not None
    assert 8 == result.facts.n_decoded
    assert result.facts.system_info
    assert Path(result.facts.path).is_file()
    assert "cpu" in {device.kind for device in result.facts.devices}


@pytest.mark.slow
def test_a_real_child_says_that_a_model_is_damaged(tmp_path: Path) -> None:
    """A file that is no model is one line, and no crash of ours."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    assert f"{path} cannot be loaded: it is missing, damaged or of an unknown kind" == probe(path).problem


@pytest.mark.slow
def test_a_child_that_hangs_is_given_up() -> None:
    """A library that never comes back does not hold `doctor`."""
    assert probe(timeout_s=0.001).problem.startswith("llama.cpp did not answer within 0 s")


def test_a_missing_library_is_said_by_the_child(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that fails is told apart from a crash, with the remedy."""
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    assert 3 == probing.main([])
    problem = explain(3, capsys.readouterr().out, "").problem
    assert problem.startswith("llama-cpp-python cannot be imported (")
    assert "build it for this one with `codeassistd setup`, or by hand: CMAKE_ARGS=" in problem

"""A model is tried in a child before its first load: once, and what the child died of is the cause of a failed load."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeassistd.engine.llama.first_load import FirstLoads
from codeassistd.engine.llama.probe import LibraryFacts, ProbeResult, explain, probe
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model

GOOD = ProbeResult(LibraryFacts("1.2.3", "", gpu_offload=False, devices=(), n_decoded=8))


class Attempts:
    """Stands in for the child, and remembers what it was to try."""

    def __init__(self, *results: ProbeResult) -> None:
        self._results = list(results)
        self.tried: list[Path] = []

    def __call__(self, model: Path, _goes_on: Callable[[], bool]) -> ProbeResult:
        """The next result, the last one again and again."""
        self.tried.append(model)
        return self._results.pop(0) if len(self._results) > 1 else self._results[0]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Some file."""
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where is remembered what was tried."""
    return tmp_path / "state" / "tried.json"


def check(attempts: Attempts, file: Path, model: Path) -> None:
    FirstLoads(file, attempts).check(model, lambda: True)


def test_what_was_read_well_is_not_tried_again(model: Path, file: Path) -> None:
    """Not by the next daemon either; and only its owner can read what is remembered."""
    attempts = Attempts(GOOD)
    for _ in range(3):
        check(attempts, file, model)
    assert [model] == attempts.tried
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(file.stat().st_mode)


def test_a_file_that_has_changed_is_tried_again(model: Path, file: Path) -> None:
    """By its size or its time."""
    attempts = Attempts(GOOD)
    check(attempts, file, model)
    model.write_bytes(b"GGUF2")
    check(attempts, file, model)
    os.utime(model, ns=(1, 1))
    check(attempts, file, model)
    assert 3 == len(attempts.tried)


def test_another_library_is_tried_again(
    model: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that was built anew since."""
    attempts = Attempts(GOOD)
    check(attempts, file, model)
    (tmp_path / "libllama.so").touch()
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    check(attempts, file, model)
    assert 2 == len(attempts.tried)


@pytest.mark.parametrize("number", [signal.SIGILL, signal.SIGSEGV, signal.SIGKILL])
def test_what_kills_the_child_is_the_cause(number: int, model: Path, file: Path) -> None:
    """One line, and it is tried again the next time: something may have been done about it."""
    attempts = Attempts(explain(-number, "step: library\nstep: model\nstep: batch\n", ""), GOOD)
    with pytest.raises(ModelLoadError, match=r"^llama\.cpp .* while reading a batch of tokens"):
        check(attempts, file, model)
    check(attempts, file, model)
    check(attempts, file, model)
    assert 2 == len(attempts.tried)


def test_what_the_child_could_say_is_left_to_the_load(model: Path, file: Path) -> None:
    """It ends no process, and the load knows more about it; nothing is remembered."""
    attempts = Attempts(explain(3, "step: library\nproblem: no memory for a context\n", ""))
    check(attempts, file, model)
    check(attempts, file, model)
    assert 2 == len(attempts.tried)


def test_a_file_that_is_not_there_is_left_to_the_load(tmp_path: Path, file: Path) -> None:
    """No child is started for it."""
    attempts = Attempts(GOOD)
    check(attempts, file, tmp_path / "missing.gguf")
    assert [] == attempts.tried


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"a": 1}', b"[1, null]"])
def test_a_damaged_memory_is_an_empty_one(content: bytes, model: Path, file: Path) -> None:
    """It is written anew."""
    file.parent.mkdir()
    file.write_bytes(content)
    attempts = Attempts(GOOD)
    check(attempts, file, model)
    check(attempts, file, model)
    assert [model] == attempts.tried


def test_a_memory_that_cannot_be_written_costs_time_only(model: Path, tmp_path: Path) -> None:
    """The model is tried each time."""
    (tmp_path / "state").write_text("a file where the folder would be")
    attempts = Attempts(GOOD)
    for _ in range(2):
        check(attempts, tmp_path / "state" / "tried.json", model)
    assert 2 == len(attempts.tried)


def test_only_so_many_are_remembered(tmp_path: Path, file: Path) -> None:
    """The newest ones."""
    attempts = Attempts(GOOD)
    models = [tmp_path / f"{number}.gguf" for number in range(70)]
    for model in models:
        model.touch()
        check(attempts, file, model)
    check(attempts, file, models[-1])
    assert 70 == len(attempts.tried)
    check(attempts, file, models[0])
    assert 71 == len(attempts.tried)


@pytest.mark.slow
def test_a_child_is_ended_when_nobody_wants_the_load_any_more(tmp_path: Path) -> None:
    """At the end of the daemon, say."""
    result = probe(write_tiny_model(tmp_path / "tiny.gguf"), None, lambda: False)
    assert ProbeResult(None, "the trial was given up") == result


@pytest.mark.slow
def test_a_real_child_reads_a_tiny_model(tmp_path: Path, file: Path) -> None:
    """Here the library runs, so it is remembered."""
    FirstLoads(file).check(write_tiny_model(tmp_path / "tiny.gguf"), lambda: True)
    assert file.is_file()

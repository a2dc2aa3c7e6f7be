"""Case 80, in the engine: a model that does not load says why, and one that is unloaded lets go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.load import llama_factory, this_machine
from codeassistd.engine.llama.params import LlamaOptions, Machine
from codeassistd.engine.request import EngineState
from codeassistd.errors import ModelLoadError
from codeassistd.testing.tiny_models import write_tiny_model
from tests.support.engines import answer_of, request, settled, wait_until
from tests.support.model import model_file


def options(path: Path) -> LlamaOptions:
    return LlamaOptions(path, n_ctx=256, n_slots=1, n_batch=64, threads=1)


def cause(path: Path, machine: Machine | None = None) -> str:
    with pytest.raises(ModelLoadError) as caught:
        llama_factory(options(path), machine)(lambda _share: True)
    return str(caught.value)


def test_four_faults_have_four_causes(tmp_path: Path) -> None:
    """Missing, cut to 90 %, another type of file, and no memory: each one line of its own."""
    good = write_tiny_model(tmp_path / "good.gguf")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(good.read_bytes()[: good.stat().st_size * 9 // 10])
    other = tmp_path / "other.gguf"
    other.write_bytes(b"<html>404</html>" * 1000)
    no_memory = Machine(has_gpu=False, n_cores=1, free_bytes=1000)
    causes = [cause(tmp_path / "missing.gguf"), cause(cut), cause(other), cause(good, no_memory)]
    for expected, said in zip(["no model file", "cut off", "not a GGUF", "of memory"], causes, strict=True):
        assert expected in said
        assert "\n" not in said
    assert 4 == len(set(causes))


def test_a_file_that_only_llama_cpp_can_refuse(tmp_path: Path) -> None:
    """An architecture that it does not know: its own cause is in the line."""
    strange = tmp_path / "strange.gguf"
    # All names of the metadata stay as long as they are, so only the word changes.
    strange.write_bytes(write_tiny_model(tmp_path / "good.gguf").read_bytes().replace(b"llama", b"lamma"))
    assert f"{strange} could not be loaded: unknown model architecture: 'lamma'" == cause(strange)


async def test_the_old_model_keeps_serving_when_the_new_one_does_not_load(tmp_path: Path) -> None:
    """The same answer before and after the failed reload."""
    engine = Engine(llama_factory(options(write_tiny_model(tmp_path / "good.gguf"))))
    engine.start()
    assert EngineState.READY == settled(engine)
    before = await answer_of(engine.submit(request("def f", max_tokens=8)))
    engine.reload(llama_factory(options(tmp_path / "missing.gguf")))
    wait_until(lambda: engine.status().last_error != "", "the failed reload")
    assert "there is no model file" in engine.status().warnings[-1]
    assert before.ids == (await answer_of(engine.submit(request("def f", max_tokens=8)))).ids
    engine.stop()


@pytest.mark.model
def test_memory_comes_back_after_the_unload() -> None:
    """After four more loads and unloads the process holds what it held before, within 10 % of the model.

    The first two do not count: they grow the heap to what a load needs once.
    """
    path = model_file()
    process = psutil.Process()
    held = []
    for _ in range(6):
        llama_factory(LlamaOptions(path, n_ctx=2048, n_slots=2, n_batch=64, threads=1))(lambda _share: True).close()
        held.append(process.memory_info().rss)
    assert held[-1] - held[1] < path.stat().st_size / 10


def test_the_end_of_the_program_is_silent(tmp_path: Path) -> None:
    """A program that ends without stopping its engine prints nothing, and not by a signal either."""
    path = write_tiny_model(tmp_path / "good.gguf")
    program = (
        "import sys, pathlib, threading\n"
        "from codeassistd.engine.engine import Engine\n"
        "from codeassistd.engine.llama.load import llama_factory\n"
        "from codeassistd.engine.llama.params import LlamaOptions\n"
        "told = threading.Event()\n"
        "engine = Engine(llama_factory(LlamaOptions(pathlib.Path(sys.argv[1]), 256, 1, 64)),\n"
        "    on_change=lambda: engine.status().state == 'ready' and told.set())\n"
        "engine.start()\n"
        "assert told.wait(60)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(path)], capture_output=True, check=False, timeout=120
    )
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_this_machine_has_some_memory_and_a_core() -> None:
    """What a load is reckoned with is read from the system."""
    machine = this_machine()
    assert machine.n_cores >= 1
    assert machine.free_bytes > 2**20

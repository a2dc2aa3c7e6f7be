from __future__ import annotations

import importlib.metadata
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from codeassistd.engine.llama.kept import kept_folder, kept_library
from codeassistd.engine.llama.probe import LibraryFacts, ProbeResult, explain
from codeassistd.engine.llama.wheel import BuildPlan, Compiler, ToolMissingError, processor_flags
from codeassistd.errors import EngineError
from codeassistd.paths import Paths
from codeassistd.setup.library import LibraryCare, LibraryState, build_ladder, keep_library
from codeassistd.testing.tiny_models import write_tiny_model

FACTS = LibraryFacts("1", "", gpu_offload=False, devices=(), n_decoded=8)
AMX = frozenset({"amx_tile"})
GOOD, DEADLY = b"good", b"deadly"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})


def write_wheel(path: Path, library: bytes) -> Path:
    """A wheel as the build makes it: libraries, and other files that are not wanted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("llama_cpp/__init__.py", "")
        archive.writestr("llama_cpp/lib/libllama.so", library)
        archive.writestr("lib/pkgconfig/llama.pc", "")
    return path


class Workshop:
    """Builds by a list of what comes out, and probes in a child that kills itself where the library is deadly."""

    def __init__(self, paths: Paths, *products: bytes) -> None:
        self.paths = paths
        self.products = list(products)
        self.built: list[str] = []

    def probe(self, model: Path | None) -> ProbeResult:
        del model
        kept = kept_library(self.paths)
        library = (kept / "libllama.so").read_bytes() if kept else DEADLY
        suicide = f"import os; os.kill(os.getpid(), {int(signal.SIGILL)})"
        done = subprocess.run(
            [sys.executable, "-c", suicide if library == DEADLY else ""], capture_output=True, text=True, check=False
        )
        return explain(done.returncode, "step: batch\n", "") if done.returncode else ProbeResult(FACTS)

    def build(self, plan: BuildPlan, python: str, environ: Mapping[str, str], say: Callable[[str], None]) -> Path:
        assert (sys.executable, "value") == (python, environ["NAME"])
        assert self.paths.cache_dir in plan.folder.parents
        say("building")
        self.built.append(plan.cmake_args)
        return write_wheel(plan.folder / "x.whl", self.products.pop(0))

    @property
    def care(self) -> LibraryCare:
        environ = {"PATH": os.environ["PATH"], "NAME": "value"}
        return LibraryCare(self.paths, self.probe, self.build, environ)


def here(paths: Paths) -> Path:
    return kept_folder(paths, importlib.metadata.version("llama-cpp-python"), processor_flags())


@pytest.mark.slow
def test_a_library_that_dies_is_replaced_by_one_that_does_not(paths: Paths) -> None:
    """The one that was built lies in the data folder and is in force from then on; the second time it is there."""
    workshop, said = Workshop(paths, GOOD), list[str]()
    state = workshop.care.see_to(None, said.append)
    assert LibraryState(ProbeResult(FACTS), was_built=True, kept=here(paths)) == state
    assert ["libllama.so"] == [path.name for path in here(paths).iterdir()]
    assert "the installed library does not run here: llama.cpp was built for another processor" in said[0]
    again = workshop.care.see_to(None, pytest.fail)
    assert LibraryState(ProbeResult(FACTS), was_built=False, kept=here(paths)) == again


@pytest.mark.slow
def test_where_code_for_this_processor_dies_too_code_for_any_is_tried(paths: Paths) -> None:
    """It is slower, and it runs."""
    workshop = Workshop(paths, DEADLY, GOOD)
    assert workshop.care.see_to(None, lambda _: None).was_built
    first, second = workshop.built
    assert "-DGGML_NATIVE=OFF" not in first
    assert "-DGGML_NATIVE=OFF" in second


@pytest.mark.slow
def test_where_none_helps_none_is_kept(paths: Paths) -> None:
    """The installed one may be mended later, and ours would stand before it."""
    state = Workshop(paths, DEADLY, DEADLY).care.see_to(None, lambda _: None)
    assert (True, False, None) == (state.result.is_unfit, state.was_built, state.kept)
    assert [] == list(paths.llama_dir.iterdir())


@pytest.mark.parametrize("problem", ["", "the model is damaged"])
def test_what_no_build_can_mend_is_not_built(paths: Paths, problem: str) -> None:
    """A library that runs, and a fault of the model."""
    result = ProbeResult(None if problem else FACTS, problem)
    care = LibraryCare(paths, lambda _: result, lambda *_: pytest.fail("built"))
    assert LibraryState(result, was_built=False, kept=None) == care.see_to(None, pytest.fail)


def test_a_library_that_the_user_named_is_left_to_him(paths: Paths) -> None:
    """It comes before any that we could build."""
    result = ProbeResult(None, "crashed", is_unfit=True)
    environ = {"LLAMA_CPP_LIB_PATH": "/opt/llama"}
    care = LibraryCare(paths, lambda _: result, lambda *_: pytest.fail("built"), environ)
    assert result == care.see_to(None, pytest.fail).result


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            ToolMissingError("no cmake; install it"),
            "llama.cpp does not run here and cannot be built: no cmake; install",
        ),
        (subprocess.CalledProcessError(2, "pip"), "the build of llama.cpp failed with exit code 2, see above"),
    ],
)
def test_a_build_that_fails_is_one_line(paths: Paths, error: Exception, line: str) -> None:
    """What is missing, and what to do then."""

    def build(*_: object) -> Path:
        raise error

    care = LibraryCare(paths, lambda _: ProbeResult(None, "crashed", is_unfit=True), build)
    with pytest.raises(EngineError) as raised:
        care.see_to(None, lambda _: None)
    assert line == str(raised.value)[: len(line)]
    assert None is kept_library(paths)


def test_the_ladder_keeps_the_flags_that_the_compiler_needs() -> None:
    """All three of AMX with gcc 12, on both of its steps; the user's own come last."""
    off = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
    amx = f"-DCMAKE_C_FLAGS='{off}' -DCMAKE_CXX_FLAGS='{off}'"
    assert (
        f"-DLLAVA_BUILD=OFF {amx} -DX=1",
        f"-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF {amx} -DX=1",
    ) == build_ladder(Compiler("gcc", 12, ""), AMX, "-DX=1")


def test_a_kept_library_is_for_its_version_and_processor(paths: Paths, tmp_path: Path) -> None:
    """Bindings of another version must not load it, nor a machine that shares the home."""
    wheel = write_wheel(tmp_path / "x.whl", GOOD)
    keep_library(wheel, kept_folder(paths, "0.0.1", processor_flags()))
    keep_library(wheel, here(paths).with_name("another-processor"))
    assert None is kept_library(paths)
    keep_library(wheel, here(paths))
    assert here(paths) == kept_library(paths)


@pytest.mark.slow
def test_every_process_takes_the_kept_library(paths: Paths, tmp_path: Path) -> None:
    """Whoever imports the door to llama.cpp has its place in the environment; one that the user set stays."""
    keep_library(write_wheel(tmp_path / "x.whl", GOOD), here(paths))
    code = "import os, codeassistd.engine.llama; print(os.environ['LLAMA_CPP_LIB_PATH'])"
    environ = {**os.environ, "CODEASSISTD_HOME": str(tmp_path / "home")}
    environ.pop("LLAMA_CPP_LIB_PATH", None)

    def shown(env: Mapping[str, str]) -> str:
        command = [sys.executable, "-P", "-c", code]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()

    assert str(here(paths)) == shown(environ)
    assert "/mine" == shown({**environ, "LLAMA_CPP_LIB_PATH": "/mine"})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="needs a C compiler on Linux")
def test_a_real_library_that_dies_is_told_by_the_real_probe(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that executes an illegal instruction as it is loaded; the next one that is built is the environment's own."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LLAMA_CPP_LIB_PATH", raising=False)
    source, deadly = tmp_path / "deadly.c", tmp_path / "libllama.so"
    source.write_text("__attribute__((constructor)) static void die(void) { __builtin_trap(); }\n", encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(deadly), str(source)], check=True)
    keep_library(write_wheel(tmp_path / "deadly.whl", deadly.read_bytes()), here(paths))
    model = write_tiny_model(tmp_path / "tiny.gguf")

    def build(plan: BuildPlan, *_: object) -> Path:
        wheel = plan.folder / "good.whl"
        plan.folder.mkdir(parents=True)
        own = Path(str(importlib.metadata.distribution("llama-cpp-python").locate_file("llama_cpp/lib")))
        with zipfile.ZipFile(wheel, "w") as archive:
            for library in own.glob("*.so*"):
                archive.write(library, f"llama_cpp/lib/{library.name}")
        return wheel

    said: list[str] = []
    state = LibraryCare(paths, build=build).see_to(model, said.append)
    assert "while loading the library" in said[0]
    assert state.was_built
    assert state.result.facts is not None
    assert (8, str(here(paths) / "libllama.so")) == (state.result.facts.n_decoded, state.result.facts.path)

"""Try the llama.cpp library in a process of its own, which may die without taking the daemon along.

A library built for another processor loads well and ends the process at the first batch, by a signal that no Python
code can catch. So a child does what the engine will do (load the library, a model, one batch of several tokens), says
each step on its standard output, and the parent tells from how it ended what is wrong and what to do.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from codeassistd.clock import SystemClock
from codeassistd.engine.llama.wheel import Compiler, choose_cmake_args, processor_flags

__all__ = ["Device", "LibraryFacts", "ProbeResult", "explain", "main", "probe"]

_PACKAGE = "llama-cpp-python"
_TIMEOUT_S = 300.0
_POLL_S = 0.2
_N_TOKENS = 8
_IMPOSSIBLE = 3
"""The child's exit code when it could say itself what was wrong."""
_STEPS = {"library": "loading the library", "model": "loading the model", "batch": "reading a batch of tokens"}
#: How Windows reports an illegal instruction: as an exit code.
_WINDOWS_ILLEGAL_INSTRUCTION = 0xC000001D


@dataclass(frozen=True, slots=True)
class Device:
    """Something that can compute: `kind` is llama.cpp's own, such as `cpu` or `gpu`."""

    name: str
    description: str
    kind: str
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """What the library that was loaded is.

    Attributes:
        version: of llama-cpp-python.
        system_info: processor features that it was built with, as it prints them.
        gpu_offload: whether it can compute on a GPU.
        n_decoded: tokens that the batch read; 0 when no model was given.
        path: of the library's file, as it was loaded.
    """

    version: str
    system_info: str
    gpu_offload: bool
    devices: tuple[Device, ...]
    n_decoded: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """How the try ended: facts, or one line with the cause and what to do.

    Attributes:
        is_unfit: the library ended the process in a way that another build may not.
        is_told: the child lived to say it, so whatever it was does not end a process.
    """

    facts: LibraryFacts | None
    problem: str = ""
    is_unfit: bool = False
    is_told: bool = False


def probe(
    model: Path | None = None, timeout_s: float | None = _TIMEOUT_S, goes_on: Callable[[], bool] = lambda: True
) -> ProbeResult:
    """Try the library, and with a model also one batch; never raises for what the child does.

    Args:
        model: its file.
        timeout_s: the child is ended after so long; None waits.
        goes_on: asked now and then; False ends the child.
    """
    # -P: a folder named like a package of ours in the current directory must not be imported.
    command = [sys.executable, "-P", "-m", "codeassistd.engine.llama.probe", *([str(model)] if model else [])]
    clock = SystemClock()
    until_s = math.inf if timeout_s is None else clock.monotonic_s() + timeout_s
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        while True:
            try:
                stdout, stderr = child.communicate(timeout=_POLL_S)
                return explain(child.returncode, stdout, stderr)
            except subprocess.TimeoutExpired:
                problem = "" if goes_on() else "the trial was given up"
                if clock.monotonic_s() >= until_s:
                    problem = f"llama.cpp did not answer within {timeout_s:.0f} s; is the machine out of memory?"
                if problem:
                    child.kill()
                    return ProbeResult(None, problem)


def explain(returncode: int, stdout: str, stderr: str) -> ProbeResult:
    """Tell from how the child ended what is wrong; pure."""
    step, said = "library", ""
    for line in stdout.splitlines():
        # The library may print lines of its own between ours.
        key, _, text = line.partition(" ")
        if key == "step:":
            step = text
        elif key == "facts:":
            return ProbeResult(_facts(text))
        elif key == "problem:":
            said = text
    if said:
        return ProbeResult(None, said, is_told=True)
    doing = _STEPS.get(step, step)
    if returncode in {-signal.SIGILL, _WINDOWS_ILLEGAL_INSTRUCTION}:
        problem = f"llama.cpp was built for another processor (illegal instruction while {doing}); {_rebuild()}"
        return ProbeResult(None, problem, is_unfit=True)
    if returncode < 0:
        name = _signal_name(-returncode)
        if name == "SIGKILL":
            return ProbeResult(
                None, f"llama.cpp was killed while {doing}, most likely for want of memory; choose a smaller model"
            )
        return ProbeResult(None, f"llama.cpp crashed while {doing} ({name}); {_rebuild()}", is_unfit=True)
    last = (stderr.strip().splitlines() or ["nothing was printed"])[-1]
    return ProbeResult(None, f"llama.cpp gave up while {doing} (exit code {returncode}): {last}")


def main(argv: Sequence[str] | None = None) -> int:
    """What the child does."""
    arguments = sys.argv[1:] if argv is None else argv
    _say("step", "library")
    try:
        import llama_cpp  # noqa: PLC0415 - the import is the thing that is tried

        from codeassistd.engine.llama.log import llama_log  # noqa: PLC0415 - imports the same
    except ImportError as error:
        _say("problem", f"{_PACKAGE} cannot be imported ({_one_line(error)}); {_rebuild()}")
        return _IMPOSSIBLE
    except (OSError, RuntimeError) as error:
        _say("problem", f"the llama.cpp library cannot be loaded ({_one_line(error)}); {_rebuild()}")
        return _IMPOSSIBLE
    llama_log()
    n_decoded = 0
    if arguments:
        n_decoded, problem = _read_batch(Path(arguments[0]))
        if problem:
            _say("problem", problem)
            return _IMPOSSIBLE
    facts = LibraryFacts(
        version=llama_cpp.__version__,
        system_info=llama_cpp.llama_print_system_info().decode(errors="replace").strip(),
        gpu_offload=bool(llama_cpp.llama_supports_gpu_offload()),
        devices=_devices(),
        n_decoded=n_decoded,
        path=_library_file(),
    )
    _say("facts", json.dumps(asdict(facts)))
    return 0


def _read_batch(model_file: Path) -> tuple[int, str]:
    """Load a model and read several tokens in one batch, which is where a wrong build dies."""
    import llama_cpp  # noqa: PLC0415 - see main

    _say("step", "model")
    model = llama_cpp.llama_model_load_from_file(os.fsencode(model_file), llama_cpp.llama_model_default_params())
    if not model:
        return 0, f"{model_file} cannot be loaded: it is missing, damaged or of an unknown kind"
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = params.n_batch = params.n_ubatch = 64
    context = llama_cpp.llama_init_from_model(model, params)
    if not context:
        return 0, f"there is no memory for a context of {model_file}; choose a smaller model"
    _say("step", "batch")
    tokens = (ctypes.c_int32 * _N_TOKENS)(*range(_N_TOKENS))
    code = llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(tokens, _N_TOKENS))
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)
    return (_N_TOKENS, "") if code == 0 else (0, f"{model_file} loads, but reading a batch fails with code {code}")


def _library_file() -> str:
    """The file behind the bindings."""
    import llama_cpp.llama_cpp as bindings  # noqa: PLC0415 - see main

    return str(bindings._lib._name)  # noqa: SLF001 - the one handle to the library that is loaded


def _devices() -> tuple[Device, ...]:
    """The devices in ggml's registry, which the Python bindings leave out."""
    import llama_cpp.llama_cpp as bindings  # noqa: PLC0415 - see main

    library = bindings._lib  # noqa: SLF001 - the one handle to the library that is loaded
    try:
        count, get = library.ggml_backend_dev_count, library.ggml_backend_dev_get
        name, description = library.ggml_backend_dev_name, library.ggml_backend_dev_description
        kind, memory = library.ggml_backend_dev_type, library.ggml_backend_dev_memory
    except AttributeError:
        # Windows looks only into the one library, and ggml's registry lies in its neighbour.
        return ()
    count.restype = ctypes.c_size_t
    get.argtypes, get.restype = [ctypes.c_size_t], ctypes.c_void_p
    for function in (name, description):
        function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_char_p
    kind.argtypes, kind.restype = [ctypes.c_void_p], ctypes.c_int
    memory.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t)]
    memory.restype = None
    kinds = ("cpu", "gpu", "igpu", "accel", "meta")
    devices = []
    for index in range(count()):
        device = get(index)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        memory(device, ctypes.byref(free), ctypes.byref(total))
        number = kind(device)
        devices.append(
            Device(
                name(device).decode(errors="replace"),
                description(device).decode(errors="replace"),
                kinds[number] if 0 <= number < len(kinds) else "other",
                total.value,
            )
        )
    return tuple(devices)


def _facts(text: str) -> LibraryFacts:
    values = json.loads(text)
    devices = tuple(Device(**device) for device in values.pop("devices"))
    return LibraryFacts(devices=devices, **values)


def _rebuild() -> str:
    """The command that builds the library so that it runs here."""
    features = processor_flags()
    # Where the one known bad combination is not the cause, code for any processor of this kind is the safe answer.
    portable = "" if "amx_tile" in features else "-DGGML_NATIVE=OFF"
    args = choose_cmake_args(Compiler("gcc", 12, ""), features, portable, ())
    try:
        wanted = f"{_PACKAGE}=={importlib.metadata.version(_PACKAGE)}"
    except importlib.metadata.PackageNotFoundError:
        wanted = _PACKAGE
    install = f"{sys.executable} -m pip install --no-cache-dir --force-reinstall {wanted}"
    return f'build it for this one with `codeassistd setup`, or by hand: CMAKE_ARGS="{args}" {install}'


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _say(key: str, text: str) -> None:
    """One line to the parent, at once, since the next step may be the last."""
    print(f"{key}: {text}", flush=True)  # noqa: T201 - the pipe to the parent


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())

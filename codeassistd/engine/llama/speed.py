"""How fast llama.cpp reads and writes here, measured in a process of its own, which may die without harm.

The child loads one file as the engine would, and for some seconds reads a prompt and writes a few tokens, alone in its
context. The fastest of the runs counts: other programs can only make one slower.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from codeassistd.clock import SystemClock
from codeassistd.config import ModelSettings
from codeassistd.errors import EngineError, ModelError, ModelLoadError

__all__ = ["Speed", "main", "measure_speed"]

_N_READ = 256
_N_WRITTEN = 24
#: Measuring goes on for so long, but for this many runs at least, the first of which warms up, and no more than enough.
_BUDGET_S = 8.0
_MIN_RUNS = 2
_MAX_RUNS = 12
#: Beyond this the machine is not slow but stuck; loading a large model from a cold disk is in it.
_TIMEOUT_S = 60.0
_FAILED = 1
_MS_PER_S = 1000.0


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured of one file.

    Attributes:
        read_ms: for one token of a long prompt.
        write_ms: for one token of an answer, behind that prompt.
        n_weight_bytes: size of the file's tensors.
        device: `cpu` or `gpu`.
    """

    read_ms: float
    write_ms: float
    n_weight_bytes: int
    device: str


def measure_speed(model: Path, settings: ModelSettings, file_type: str = "", timeout_s: float = _TIMEOUT_S) -> Speed:
    """Measure a model file in a child process.

    Args:
        model: a GGUF file.
        settings: threads, GPU layers and the like, as the daemon would load it.
        file_type: measure a copy in this number format instead, by its name in `FileType`; it is thrown away.
        timeout_s: the child is ended after this time.

    Raises:
        ModelLoadError: it ended without an answer; one line with the cause.
    """
    command = [sys.executable, "-P", "-m", "codeassistd.engine.llama.speed", str(model), file_type]
    asked = settings.model_dump_json()
    try:
        done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        raise ModelLoadError(f"{model} could not be measured within {timeout_s:.0f} s") from None
    for line in done.stdout.splitlines():
        # The library may print lines of its own.
        key, _, text = line.partition(" ")
        if key == "speed:":
            return Speed(**json.loads(text))
        if key == "problem:":
            raise ModelLoadError(text)
    raise ModelLoadError(f"{model} could not be measured (exit code {done.returncode}); see `codeassistd doctor`")


def main(argv: Sequence[str] | None = None) -> int:
    """What the child does: settings on standard input, one line on standard output."""
    path, file_type = sys.argv[1:] if argv is None else argv
    settings = ModelSettings.model_validate_json(sys.stdin.read())
    try:
        speed = _measure_copy(Path(path), file_type, settings) if file_type else _measure(Path(path), settings)
    except (ModelError, EngineError) as error:
        print(f"problem: {error}", flush=True)  # noqa: T201 - the pipe to the parent
        return _FAILED
    print(f"speed: {json.dumps(asdict(speed))}", flush=True)  # noqa: T201 - the pipe to the parent
    return 0


def _measure_copy(path: Path, file_type: str, settings: ModelSettings) -> Speed:
    from codeassistd.engine.llama.quantise import FileType, requantise  # noqa: PLC0415 - in the child only

    with tempfile.TemporaryDirectory(prefix=".speed-", dir=path.parent) as folder:
        copy = Path(folder) / path.name
        requantise(path, copy, FileType[file_type], settings.threads)
        return _measure(copy, settings)


def _measure(path: Path, settings: ModelSettings) -> Speed:
    # The bindings load the library, which only the child may do: it is the one thing here that can crash.
    from codeassistd.engine.llama.backend import LlamaBackend  # noqa: PLC0415 - see above
    from codeassistd.engine.llama.bare import BareLoop  # noqa: PLC0415 - see above
    from codeassistd.engine.llama.header import read_header  # noqa: PLC0415 - see above
    from codeassistd.engine.llama.load import llama_factory  # noqa: PLC0415 - see above
    from codeassistd.engine.llama.params import LlamaOptions  # noqa: PLC0415 - see above

    backend = llama_factory(LlamaOptions.from_settings(path, settings))(lambda _share: True)
    if not isinstance(backend, LlamaBackend):
        raise ModelLoadError("only llama.cpp itself can be measured")
    loop, clock = BareLoop(backend), SystemClock()
    # Any tokens take the same time; the first ones of a vocabulary may be control tokens, which take no other.
    n_read = min(_N_READ, backend.info.n_ctx // 2)
    prompt = [index % backend.info.n_vocab for index in range(n_read)]
    began = clock.monotonic_s()
    reads: list[float] = []
    writes: list[float] = []
    while len(reads) < _MIN_RUNS or (len(reads) < _MAX_RUNS and clock.monotonic_s() < began + _BUDGET_S):
        start = clock.monotonic_s()
        loop.read(prompt)
        middle = clock.monotonic_s()
        loop.write(_N_WRITTEN)
        reads.append(middle - start)
        writes.append(clock.monotonic_s() - middle)
    speed = Speed(
        read_ms=min(reads) / n_read * _MS_PER_S,
        write_ms=min(writes) / _N_WRITTEN * _MS_PER_S,
        n_weight_bytes=read_header(path).n_weight_bytes,
        device=backend.info.effective["device"],
    )
    loop.close()
    backend.close()
    return speed


if __name__ == "__main__":
    sys.exit(main())

"""A model file is tried in a child before this process loads it for the first time.

A library that was built for another processor, or has a fault with this very model, ends the process that uses it. So a
child does it first (`probe`), and what it died of becomes the cause of a failed load. What the child can say itself is
left to the load, which says it better. Once a file was read well it is not tried again, as long as it, the library and
the processor stay what they were: that costs some seconds.

Nothing here loads the library.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import logging
import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from codeassistd.engine.llama.probe import ProbeResult, probe
from codeassistd.engine.llama.wheel import processor_flags
from codeassistd.errors import DaemonError, ModelLoadError
from codeassistd.paths import keep_file, make_private_dir

__all__ = ["FirstLoads"]

_log = logging.getLogger(__name__)

_N_REMEMBERED = 64
_PACKAGE, _BINDINGS = "llama-cpp-python", "llama_cpp"


def _without_limit(model: Path, goes_on: Callable[[], bool]) -> ProbeResult:
    """`probe` without a time limit: a large model on a slow disk is no fault."""
    return probe(model, None, goes_on)


class FirstLoads:
    """The files that were read well, remembered in one small file.

    Args:
        file: private, and made when something is remembered; one that cannot be read counts as empty.
        attempt: tries a model in a child; asks its second argument whether to go on.
    """

    def __init__(self, file: Path, attempt: Callable[[Path, Callable[[], bool]], ProbeResult] = _without_limit) -> None:
        self._file = file
        self._attempt = attempt

    def check(self, model: Path, goes_on: Callable[[], bool]) -> None:
        """Try a model if it has not been; blocks, so not on a thread that anybody waits for.

        Raises:
            ModelLoadError: the child did not survive it, with the cause and what to do in one line.
        """
        name = _name_of(model)
        known = self._read()
        if not name or name in known:
            return
        _log.info("trying %s in a process of its own before its first load", model)
        result = self._attempt(model, goes_on)
        if result.facts is not None:
            self._write([*known, name][-_N_REMEMBERED:])
        elif not result.is_told:
            raise ModelLoadError(result.problem)

    def _read(self) -> list[str]:
        try:
            known = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return [name for name in known if isinstance(name, str)] if isinstance(known, list) else []

    def _write(self, names: list[str]) -> None:
        part = self._file.with_suffix(".part")
        try:
            make_private_dir(self._file.parent)
            part.write_text(json.dumps(names), "utf-8")
            keep_file(part, self._file)
        except (OSError, DaemonError) as error:
            _log.warning("%s cannot be written, so the model is tried again next time: %s", self._file, error)


def _name_of(model: Path) -> str:
    """A hash of the file, by place, size and time, and of what reads it; empty if there is no such file."""
    try:
        state = model.stat()
    except OSError:
        return ""
    about = [str(model), state.st_size, state.st_mtime_ns, sorted(processor_flags()), list(_library())]
    return sha256(json.dumps(about).encode()).hexdigest()


def _library() -> Iterator[tuple[str, int, int]]:
    """The files of the library by place, size and time, and the version of the bindings."""
    try:
        yield importlib.metadata.version(_PACKAGE), 0, 0
    except importlib.metadata.PackageNotFoundError:
        return
    spec = importlib.util.find_spec(_BINDINGS)
    places = [Path(os.environ["LLAMA_CPP_LIB_PATH"])] if "LLAMA_CPP_LIB_PATH" in os.environ else []
    if spec is not None and spec.origin is not None:
        places.append(Path(spec.origin).parent / "lib")
    for place in places:
        for path in sorted(place.glob("*")):
            state = path.stat()
            yield str(path), state.st_size, state.st_mtime_ns

"""The single checks of `doctor`: each looks at one thing and says how it is and what to do about it."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psutil

from codeassistd.engine.llama.probe import LibraryFacts, ProbeResult
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = [
    "Check",
    "Verdict",
    "check_git",
    "check_gpu",
    "check_grammars",
    "check_library",
    "check_paths",
    "check_processor",
    "check_watches",
]

_INOTIFY = Path("/proc/sys/fs/inotify")
#: A watch is one folder; large repositories with their editors need tens of thousands.
_ENOUGH_WATCHES = 65_536
_OTHERS = 0o077
#: The index of a large workspace takes more; with less, logs and conversations may be the next to fail.
_LEAST_FREE_BYTES = 64 * 2**20
_WITH_CUDA = 'build it in: CMAKE_ARGS="-DGGML_CUDA=on" pip install --no-cache-dir --force-reinstall llama-cpp-python'


class Verdict(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """Works, but not as well as it could."""
    FAIL = "fail"
    """Does not work until something is done."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `doctor`.

    Attributes:
        found: how it is.
        remedy: what to do; empty if nothing needs to be done.
    """

    name: str
    verdict: Verdict
    found: str
    remedy: str = ""


def check_processor() -> Check:
    """Name, cores and memory."""
    cores = f"{psutil.cpu_count(logical=False) or '?'} cores, {psutil.cpu_count() or '?'} threads"
    memory = f"{psutil.virtual_memory().total / 2**30:.0f} GiB of memory"
    return Check("processor", Verdict.OK, f"{_processor_name()}, {cores}, {memory}")


def check_library(result: ProbeResult) -> Check:
    """Whether llama.cpp loads and computes here."""
    if result.facts is None:
        return Check("llama.cpp", Verdict.FAIL, result.problem)
    tried = "one batch read" if result.facts.n_decoded else "loads; not tried on a model"
    origin = f", from {result.facts.path}" if result.facts.path else ""
    return Check("llama.cpp", Verdict.OK, f"llama-cpp-python {result.facts.version}, {tried}{origin}")


def check_gpu(facts: LibraryFacts | None, layers_asked: int, tool: str | None = None) -> Check:
    """Whether the GPU that is asked for, or that is there, can be used by this build.

    Args:
        facts: what the library is; None if it does not work.
        layers_asked: the setting `model.gpu_layers`.
        tool: path of a GPU vendor's own tool, a sign that there is one; default: looked up.
    """
    devices = [device.description for device in facts.devices if "gpu" in device.kind] if facts else []
    if facts and facts.gpu_offload and devices:
        return Check("gpu", Verdict.OK, ", ".join(devices))
    if layers_asked > 0:
        return Check("gpu", Verdict.WARN, f"{layers_asked} layers are asked for, but this build uses none", _WITH_CUDA)
    if tool or shutil.which("nvidia-smi"):
        return Check("gpu", Verdict.WARN, "there is one, but this build uses the processor only", _WITH_CUDA)
    return Check("gpu", Verdict.OK, "none; this build uses the processor")


def check_git() -> Check:
    """Git decides which files are ignored."""
    found = shutil.which("git")
    if found:
        return Check("git", Verdict.OK, found)
    return Check("git", Verdict.WARN, "not found", "install git: without it ignore files are read by our own rules")


def check_grammars(languages: Languages) -> Check:
    """Every language's grammar and queries load."""
    languages.load_all()
    if languages.problems:
        found = "; ".join(languages.problems)
        return Check("grammars", Verdict.WARN, found, "install codeassistd again: completions go on without these")
    return Check("grammars", Verdict.OK, ", ".join(language.name for language in languages))


def check_watches(folder: Path = _INOTIFY) -> Check:
    """How many folders the system lets us watch; only Linux has such a limit."""
    limit = folder / "max_user_watches"
    if not limit.exists():
        return Check("watch limit", Verdict.OK, "none on this system")
    count = int(limit.read_text("ascii"))
    if count < _ENOUGH_WATCHES:
        remedy = f"sysctl fs.inotify.max_user_watches={8 * _ENOUGH_WATCHES}; until then larger workspaces are polled"
        return Check("watch limit", Verdict.WARN, f"{count} folders", remedy)
    return Check("watch limit", Verdict.OK, f"{count} folders")


def check_paths(paths: Paths) -> Iterator[Check]:
    """Each folder that we write to is ours, can be written, and is closed to others."""
    folders = {"data": paths.data_dir, "state": paths.state_dir, "cache": paths.cache_dir, "runtime": paths.runtime_dir}
    for name, folder in folders.items():
        yield _check_folder(f"{name} folder", folder)


def _check_folder(name: str, folder: Path) -> Check:
    try:
        info = folder.stat()
    except FileNotFoundError:
        return _check_missing(name, folder)
    except OSError as error:
        return Check(name, Verdict.FAIL, f"{folder}: {error.strerror}", "remove it or give it to your user")
    if not stat.S_ISDIR(info.st_mode):
        return Check(name, Verdict.FAIL, f"{folder} is not a folder", "move it away")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(name, Verdict.FAIL, f"{folder} cannot be written", "give it to your user")
    if sys.platform != "win32" and stat.S_IMODE(info.st_mode) & _OTHERS:
        mode = f"{stat.S_IMODE(info.st_mode):04o}"
        return Check(name, Verdict.WARN, f"{folder} is open to others (mode {mode})", f"chmod 700 {folder}")
    return _check_room(name, folder)


def _check_room(name: str, folder: Path) -> Check:
    n_free = shutil.disk_usage(folder).free
    if n_free < _LEAST_FREE_BYTES:
        return Check(name, Verdict.WARN, f"{folder}, whose disk has {n_free // 2**20} MiB left", "make room there")
    return Check(name, Verdict.OK, str(folder))


def _check_missing(name: str, folder: Path) -> Check:
    """A folder that is not there yet can be made if the nearest one above it can be written."""
    above = next(parent for parent in folder.parents if parent.exists())
    if not os.access(above, os.W_OK | os.X_OK):
        return Check(name, Verdict.FAIL, f"{folder} cannot be made: {above} cannot be written", "give it to your user")
    return Check(name, Verdict.OK, f"{folder} (made when it is needed)")


def _processor_name() -> str:
    # platform.processor() is empty on most Linux systems.
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()

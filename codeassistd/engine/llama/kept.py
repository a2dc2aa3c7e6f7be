"""Where a llama.cpp library lies that was built for this machine because the installed one ends the process.

It is found by the version of the bindings, which must be its own, and by the processor: a home that several machines
share holds one for each that needs it. Standard library only: it is asked before the bindings are imported.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from pathlib import Path

from codeassistd.engine.llama.wheel import processor_flags
from codeassistd.paths import Paths

__all__ = ["kept_folder", "kept_library"]

_PACKAGE = "llama-cpp-python"


def kept_library(paths: Paths | None = None) -> Path | None:
    """The folder of the library that was built for this machine; None where the installed one is good enough."""
    paths = paths or Paths.resolve()
    if not paths.llama_dir.is_dir():
        return None
    try:
        folder = kept_folder(paths, importlib.metadata.version(_PACKAGE), processor_flags())
    except importlib.metadata.PackageNotFoundError:
        return None
    return folder if folder.is_dir() else None


def kept_folder(paths: Paths, version: str, features: frozenset[str]) -> Path:
    """Where the library for bindings of `version` belongs on a processor with these features."""
    processor = f"{platform.machine()} {' '.join(sorted(features))}"
    return paths.llama_dir / f"{version}-{hashlib.sha256(processor.encode()).hexdigest()[:16]}"

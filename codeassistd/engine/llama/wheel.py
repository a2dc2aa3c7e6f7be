"""Build llama-cpp-python with flags that work on this machine, and keep the wheel.

The package index has a source archive only, so the library is compiled here, for this processor. Three things make that
worth a module: the flags (a default build of gcc 12 dies on processors with AMX), the place (pip's own wheel cache does
not look at `CMAKE_ARGS`, so a wheel for another machine or device would be taken silently), and the time (minutes, so
the result is kept in a folder named by all that went into it). Standard library only: it runs before anything is
installed, as `python codeassistd/engine/llama/wheel.py --python .venv/bin/python`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BuildPlan", "Compiler", "CudaToolkit", "ToolMissingError", "build", "find_compiler", "plan"]

_PACKAGE = "llama-cpp-python"
#: The multimodal library is not used and costs a third of the build.
_ALWAYS = ("-DLLAVA_BUILD=OFF",)
_NO_AMX = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
_FIRST_GCC_WITH_GOOD_AMX = 13
_STDERR = 2
#: Compute capability from which a GPU's own instructions have a name with a letter (`120a`).
_FIRST_WITH_OWN = 10


class ToolMissingError(Exception):
    """A tool that the build needs is not on this machine; `str()` names it and says how to get it."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """The C compiler that will be used.

    Attributes:
        family: `gcc`, `clang` or `other`.
        major: its major version, 0 if it could not be read.
        banner: the first line that it prints about itself; part of the wheel's name.
    """

    family: str
    major: int
    banner: str


@dataclass(frozen=True, slots=True)
class CudaToolkit:
    """What compiles for NVIDIA GPUs.

    Attributes:
        root: its folder.
        version: (0, 0) if it could not be read.
    """

    root: Path
    version: tuple[int, int]

    def include_folders(self) -> list[Path]:
        """Where its headers may be."""
        return [self.root / "include", *self.root.glob("targets/*/include")]

    def library_folders(self, system: Path) -> list[Path]:
        """Where its libraries, and those of the driver, may be."""
        own = [self.root / "lib64", self.root / "lib", self.root / "lib/x64", *self.root.glob("targets/*/lib")]
        shared = [system / "usr/lib64", system / "usr/lib", *(system / "usr/lib").glob("*-linux-gnu")]
        return [*own, *(folder / "stubs" for folder in own), *shared]

    def find(self, name: str, folders: Iterable[Path]) -> Path | None:
        """The first file of that name in `folders`."""
        return next((folder / name for folder in folders if (folder / name).exists()), None)


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """One build: what is built, how, and where the wheel is kept."""

    version: str
    cmake_args: str
    folder: Path


def find_compiler(environ: Mapping[str, str], platform_name: str = sys.platform) -> Compiler:
    """The compiler that cmake will take: `CC`, else the first of cc, gcc and clang.

    Raises:
        ToolMissingError: there is none.
    """
    names = [shlex.split(environ["CC"])[0]] if environ.get("CC") else ["cc", "gcc", "clang"]
    path = next((found for name in names if (found := shutil.which(name, path=environ.get("PATH")))), None)
    if path is None:
        if platform_name == "win32":
            return Compiler("other", 0, "found by cmake")
        raise ToolMissingError(
            f"no C compiler: {' / '.join(names)} is not on PATH; install one (Debian: apt-get install g++, "
            "macOS: xcode-select --install)"
        )
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return read_banner(shown)


def read_banner(shown: str) -> Compiler:
    """Tell family and major version from what `--version` prints."""
    banner = shown.splitlines()[0].strip() if shown.strip() else ""
    family = "clang" if "clang" in shown.lower() else "gcc" if "Free Software Foundation" in shown else "other"
    version = re.search(r"(\d+)\.\d+\.\d+", banner)
    return Compiler(family, int(version.group(1)) if version else 0, banner)


def processor_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """The processor's feature flags as Linux names them; empty on other systems."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())


def choose_cmake_args(
    compiler: Compiler, features: frozenset[str], user_args: str, device_args: tuple[str, ...]
) -> str:
    """The value of `CMAKE_ARGS`; the user's own come last, so that they win."""
    args = [*_ALWAYS, *device_args]
    if "amx_tile" in features and compiler.family == "gcc" and compiler.major < _FIRST_GCC_WITH_GOOD_AMX:
        # This gcc moves a tile load in front of the tile configuration: the first batch of more than one token then
        # dies with SIGILL. All three flags, since with the first alone the build itself fails.
        args += [f"-DCMAKE_C_FLAGS='{_NO_AMX}'", f"-DCMAKE_CXX_FLAGS='{_NO_AMX}'"]
    return " ".join([*args, user_args]).strip()


def plan(
    *, version: str, compiler: Compiler, cmake_args: str, python_tag: str, cache: Path, features: frozenset[str]
) -> BuildPlan:
    """Name the folder of the wheel by everything that decides what is in it."""
    processor = f"{platform.machine()} {' '.join(sorted(features))}"
    parts = f"{version}\n{cmake_args}\n{compiler.banner}\n{python_tag}\n{processor}"
    digest = hashlib.sha256(parts.encode()).hexdigest()[:16]
    return BuildPlan(version, cmake_args, cache / "wheels" / f"{_PACKAGE}-{version}-{digest}")


def build(target: BuildPlan, python: str, environ: Mapping[str, str], say: Callable[[str], None]) -> Path:
    """The wheel of `target`, built if it is not kept yet.

    Args:
        target: what to build.
        python: the interpreter whose pip builds.
        environ: the environment to build in; `CMAKE_ARGS` is replaced by the plan's.
        say: told one line per stage.

    Raises:
        ToolMissingError: cmake is missing.
        subprocess.CalledProcessError: the build failed; its output has been shown.
    """
    kept = sorted(target.folder.glob("*.whl"))
    if kept:
        return kept[0]
    if shutil.which("cmake", path=environ.get("PATH")) is None:
        raise ToolMissingError(
            "cmake is not on PATH; install it (Debian: apt-get install cmake, macOS: brew install cmake)"
        )
    say(f"building {_PACKAGE} {target.version} for this processor: 5 to 10 minutes, once ({target.cmake_args})")
    scratch = target.folder.with_name(f"{target.folder.name}.{os.getpid()}.part")
    # Closed to others like the program's other folders: `parents` would leave their modes to the umask.
    target.folder.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        # No cache: pip's is keyed without CMAKE_ARGS and would hand out a wheel for other hardware.
        command = [python, "-m", "pip", "wheel", "--no-cache-dir", "--no-deps", "--no-binary", _PACKAGE]
        subprocess.run(
            [*command, "--disable-pip-version-check", "--quiet", "-w", str(scratch), f"{_PACKAGE}=={target.version}"],
            env={**environ, "CMAKE_ARGS": target.cmake_args},
            # Standard output is for the answer of whoever builds.
            stdout=_STDERR,
            check=True,
        )
        if target.folder.exists():
            shutil.rmtree(target.folder)
        scratch.rename(target.folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return min(target.folder.glob("*.whl"))


def locked_version(lock: Path) -> str:
    """The version that the lock file names."""
    found = re.search(rf"^{_PACKAGE}==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise ToolMissingError(f"{lock} names no version of {_PACKAGE}; run: make lock")
    return found.group(1)


def find_cuda(environ: Mapping[str, str], user_args: str = "") -> CudaToolkit:
    """The CUDA toolkit that cmake will take.

    Args:
        environ: of the build.
        user_args: the user's `CMAKE_ARGS`, which may name a toolkit.

    Raises:
        ToolMissingError: there is no CUDA compiler.
    """
    nvcc = shutil.which("nvcc", path=environ.get("PATH"))
    if nvcc is None:
        raise ToolMissingError(
            "CUDA=1 was asked for, but nvcc is not on PATH; install the CUDA toolkit or leave CUDA=1 out"
        )
    # What is on PATH may be a link or a script in another folder, so nvcc is asked; it fails over the odd name.
    shown = subprocess.run([nvcc, "-v", "__where"], capture_output=True, text=True, check=False).stderr
    banner = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    return read_toolkit(shown, banner, Path(nvcc), {**environ, **_defined(user_args)})


def read_toolkit(shown: str, banner: str, nvcc: Path, environ: Mapping[str, str]) -> CudaToolkit:
    """The toolkit from what nvcc prints with `-v` and `--version`; a place that the user names goes before its own."""
    top = re.search(r"^#\$ TOP=(.+)$", shown, re.MULTILINE)
    own = os.path.normpath(top[1].strip()) if top else str(nvcc.resolve().parent.parent)
    root = environ.get("CUDAToolkit_ROOT") or environ.get("CUDA_PATH") or own
    release = re.search(r"release (\d+)\.(\d+)", banner)
    return CudaToolkit(Path(root), (int(release[1]), int(release[2])) if release else (0, 0))


def cuda_args(toolkit: CudaToolkit, gpus: tuple[str, ...], system: Path = Path("/")) -> tuple[str, ...]:
    """Flags of a CUDA build.

    Args:
        toolkit: what compiles.
        gpus: kinds of the GPUs that are here, as `find_gpus` names them; for none, all common kinds are built for.
        system: where the folders of the system begin.

    Raises:
        ToolMissingError: a part of the toolkit is missing, which cmake would notice late or say in riddles.
    """
    folders = toolkit.library_folders(system)
    header = toolkit.find("cublas_v2.h", [*toolkit.include_folders(), system / "usr/include"])
    library = toolkit.find("libcublas.so", folders) or toolkit.find("cublas.lib", folders)
    if header is None or library is None:
        lacking = "its header cublas_v2.h" if header is None else "its library libcublas.so"
        version = "-".join(map(str, toolkit.version))
        raise ToolMissingError(
            f"CUDA=1 was asked for, but the CUDA toolkit at {toolkit.root} has no cuBLAS to build with ({lacking}); "
            f"install it (NVIDIA's packages: apt-get install libcublas-dev-{version}, Debian's: nvidia-cuda-toolkit) "
            "or leave CUDA=1 out"
        )
    kinds = gpus or _common_gpus(toolkit.version)
    args = ("-DGGML_CUDA=on", f"-DCMAKE_CUDA_ARCHITECTURES={';'.join(kinds)}")
    # Without the driver or a stand-in there is nothing to link its memory pool to; the plain pool needs none.
    has_driver = any(toolkit.find(name, folders) for name in ("libcuda.so", "libcuda.so.1", "cuda.lib"))
    return args if has_driver else (*args, "-DGGML_CUDA_NO_VMM=on")


def find_gpus(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The kinds of NVIDIA GPU that are here, as cmake names them: `90-real`; empty if none is."""
    command = shutil.which("nvidia-smi", path=environ.get("PATH"))
    if command is None:
        return ()
    query = [command, "--query-gpu=compute_cap", "--format=csv,noheader"]
    return read_gpus(subprocess.run(query, capture_output=True, text=True, check=False).stdout)


def read_gpus(shown: str) -> tuple[str, ...]:
    """The kinds from what nvidia-smi prints: one compute capability a line."""
    found = {(int(major), int(minor)) for major, minor in re.findall(r"^(\d+)\.(\d+)\s*$", shown, re.MULTILINE)}
    # The newest kinds have instructions that only exist under a name of their own.
    return tuple(f"{major}{minor}{'a' if major >= _FIRST_WITH_OWN else ''}-real" for major, minor in sorted(found))


def _common_gpus(version: tuple[int, int]) -> tuple[str, ...]:
    """What llama.cpp builds for by itself where it is not to build for this machine's GPU alone."""
    kinds = ["75-virtual", "80-virtual", "86-real"]
    if version < (13, 0):
        kinds = ["50-virtual", "61-virtual", "70-virtual", *kinds]
    if version >= (11, 8):
        kinds += ["89-real", "90-virtual"]
    if version >= (12, 8):
        kinds += ["120a-real"]
    return tuple(kinds)


def _defined(user_args: str) -> dict[str, str]:
    """The `-DNAME=VALUE` among cmake's arguments."""
    pairs = (part[2:].partition("=") for part in shlex.split(user_args) if part.startswith("-D"))
    return {name.partition(":")[0]: value for name, _, value in pairs}


def wheel_cache(environ: Mapping[str, str]) -> Path:
    """Where wheels are kept: beside the program's other caches, so that a second clone does not build again."""
    base = environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "codeassistd"


def main(argv: list[str] | None = None) -> int:
    """Build or find the wheel and print its path."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--python", default=sys.executable, help="interpreter to build with")
    parser.add_argument("--lock", type=Path, default=Path("requirements.lock"), help="file that names the version")
    parser.add_argument("--cuda", action="store_const", const=True, default=False, help="build for NVIDIA GPUs")
    options = parser.parse_args(argv)
    environ = dict(os.environ)
    try:
        compiler = find_compiler(environ)
        features = processor_flags()
        user_args = environ.get("CMAKE_ARGS", "")
        device_args = _device_args(environ, user_args, wants_cuda=options.cuda)
        args = choose_cmake_args(compiler, features, user_args, device_args)
        target = plan(
            version=locked_version(options.lock),
            compiler=compiler,
            cmake_args=args,
            python_tag=f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}",
            cache=wheel_cache(environ),
            features=features,
        )
        wheel = build(target, options.python, environ, _say)
    except ToolMissingError as error:
        print(f"codeassistd: {error}", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        print(f"codeassistd: cannot run {error.filename}; name an interpreter with --python", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(
            f"codeassistd: the build of {_PACKAGE} failed with exit code {error.returncode}; see above", file=sys.stderr
        )
        return 1
    print(wheel)
    return 0


def _device_args(environ: Mapping[str, str], user_args: str, *, wants_cuda: bool) -> tuple[str, ...]:
    gpus = find_gpus(environ)
    if not wants_cuda:
        if gpus and shutil.which("nvcc", path=environ.get("PATH")):
            _say("codeassistd: there is an NVIDIA GPU and its compiler; the same command with CUDA=1 builds for it")
        return ()
    args = cuda_args(find_cuda(environ, user_args), gpus)
    if not gpus:
        _say("codeassistd: no NVIDIA GPU is seen here, so it is built for all common ones, which takes much longer")
    return args


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""The flags that llama.cpp is built with, and the place its wheel is kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from codeassistd.engine.llama.wheel import (
    Compiler,
    CudaToolkit,
    ToolMissingError,
    build,
    choose_cmake_args,
    cuda_args,
    find_compiler,
    find_cuda,
    find_gpus,
    locked_version,
    main,
    plan,
    processor_flags,
    read_banner,
    read_gpus,
    read_toolkit,
)

GCC_12 = "cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n"
GCC_14 = "gcc (GCC) 14.1.0\nCopyright (C) 2024 Free Software Foundation, Inc.\n"
CLANG = "Apple clang version 15.0.0 (clang-1500.3.9.4)\nTarget: arm64-apple-darwin23.4.0\n"
AMX = frozenset({"avx512f", "amx_tile", "amx_int8", "amx_bf16"})
NO_AMX = (
    "-DLLAVA_BUILD=OFF "
    "-DCMAKE_C_FLAGS='-mno-amx-tile -mno-amx-int8 -mno-amx-bf16' "
    "-DCMAKE_CXX_FLAGS='-mno-amx-tile -mno-amx-int8 -mno-amx-bf16'"
)


@pytest.mark.parametrize(
    ("shown", "family", "major"),
    [(GCC_12, "gcc", 12), (GCC_14, "gcc", 14), (CLANG, "clang", 15), ("", "other", 0), ("tcc\n", "other", 0)],
)
def test_a_compiler_is_known_by_what_it_prints(shown: str, family: str, major: int) -> None:
    """Family and major version come from the banner; an unknown compiler is no error."""
    compiler = read_banner(shown)

    assert (family, major) == (compiler.family, compiler.major)


def test_gcc_12_on_a_processor_with_amx_builds_without_amx() -> None:
    """There a default build dies at the first batch of two tokens."""
    assert choose_cmake_args(read_banner(GCC_12), AMX, "", ()) == NO_AMX


@pytest.mark.parametrize(("shown", "features"), [(GCC_14, AMX), (CLANG, AMX), (GCC_12, frozenset({"avx2"}))])
def test_other_machines_get_a_native_build(shown: str, features: frozenset[str]) -> None:
    """Flags that cost speed are set only where they are needed."""
    assert choose_cmake_args(read_banner(shown), features, "", ()) == "-DLLAVA_BUILD=OFF"


def test_the_users_cmake_args_come_last() -> None:
    """The last definition wins in cmake, so the user's own wins over ours."""
    args = choose_cmake_args(read_banner(GCC_14), AMX, "-DLLAVA_BUILD=ON", ("-DGGML_CUDA=on",))

    assert args == "-DLLAVA_BUILD=OFF -DGGML_CUDA=on -DLLAVA_BUILD=ON"


def test_the_folder_is_named_by_all_that_decides_its_content(tmp_path: Path) -> None:
    """Another flag, compiler, interpreter, version or processor never meets the same wheel."""
    base = {
        "version": "0.3.36",
        "compiler": Compiler("gcc", 12, "gcc 12.2.0"),
        "cmake_args": "-DX=1",
        "python_tag": "cpython-311",
        "cache": tmp_path,
        "features": frozenset({"avx2"}),
    }
    others = [
        {"version": "0.3.37"},
        {"compiler": Compiler("gcc", 13, "gcc 13.1.0")},
        {"cmake_args": "-DX=2"},
        {"python_tag": "cpython-312"},
        {"features": AMX},
    ]
    folders = {plan(**{**base, **other}).folder for other in [{}, *others]}

    assert len(folders) == 6
    assert plan(**base).folder == plan(**base).folder


def test_a_kept_wheel_is_taken_without_building(tmp_path: Path) -> None:
    """A second installation takes seconds: neither cmake nor pip is looked for."""
    target = plan(
        version="1", compiler=Compiler("gcc", 12, "b"), cmake_args="", python_tag="t", cache=tmp_path, features=AMX
    )
    target.folder.mkdir(parents=True)
    wheel = target.folder / "llama_cpp_python-1-py3-none-any.whl"
    wheel.touch()

    assert wheel == build(target, "/no/python", {"PATH": ""}, pytest.fail)


def test_missing_tools_are_named_with_the_way_to_get_them(tmp_path: Path) -> None:
    """A user without compiler, cmake or CUDA learns which one, not a page of build output."""
    target = plan(
        version="1", compiler=Compiler("gcc", 12, "b"), cmake_args="", python_tag="t", cache=tmp_path, features=AMX
    )
    with pytest.raises(ToolMissingError, match="no C compiler: cc / gcc / clang is not on PATH"):
        find_compiler({"PATH": str(tmp_path)}, "linux")
    with pytest.raises(ToolMissingError, match="cmake is not on PATH; install it"):
        build(target, "/no/python", {"PATH": str(tmp_path)}, lambda _: None)
    with pytest.raises(ToolMissingError, match="nvcc is not on PATH"):
        find_cuda({"PATH": str(tmp_path)})


def test_the_cache_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """`make demo` makes the program's cache folder before the program does, and `doctor` has nothing to say of it."""
    cmake = tmp_path / "cmake"
    cmake.touch(mode=0o755)
    cache = tmp_path / "none yet" / "codeassistd"
    target = plan(
        version="1", compiler=Compiler("gcc", 12, "b"), cmake_args="", python_tag="t", cache=cache, features=AMX
    )

    with pytest.raises(FileNotFoundError):
        build(target, "/no/python", {"PATH": str(tmp_path)}, lambda _: None)

    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_the_script_ends_with_code_2_and_one_line_when_a_tool_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line's promise: one clear line, exit code 2, nothing on standard output."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)

    code = main(["--lock", str(tmp_path / "requirements.lock")])

    shown = capsys.readouterr()
    assert code == 2
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1


def test_the_processors_features_are_read_from_the_first_processor(tmp_path: Path) -> None:
    """All processors of a machine have the same; a system without the file has none to tell."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(
        "processor\t: 0\nflags\t\t: fpu avx2 amx_tile\nprocessor\t: 1\nflags\t\t: fpu\n", encoding="utf-8"
    )

    assert frozenset({"fpu", "avx2", "amx_tile"}) == processor_flags(cpuinfo)
    assert frozenset() == processor_flags(tmp_path / "missing")


def test_the_version_comes_from_the_lock() -> None:
    """One file decides the version for the demo, the tests and the users."""
    assert locked_version(Path(__file__).parents[2] / "requirements.lock").startswith("0.3.")


NVCC_13 = "Cuda compilation tools, release 13.0, V13.0.88\n"


@pytest.fixture
def toolkit(tmp_path: Path) -> CudaToolkit:
    """A toolkit with all that a build needs, and a stand-in for the driver."""
    root = tmp_path / "cuda"
    for name in ("include/cublas_v2.h", "targets/x86_64-linux/lib/libcublas.so", "lib64/stubs/libcuda.so"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return CudaToolkit(root, (13, 0))


def test_a_cuda_build_is_for_the_gpus_that_are_here(toolkit: CudaToolkit, tmp_path: Path) -> None:
    """For these alone, which takes a fraction of the time; several kinds are one list."""
    assert ("-DGGML_CUDA=on", "-DCMAKE_CUDA_ARCHITECTURES=90-real") == cuda_args(toolkit, ("90-real",), tmp_path)
    assert "-DCMAKE_CUDA_ARCHITECTURES=86-real;90-real" == cuda_args(toolkit, ("86-real", "90-real"), tmp_path)[1]


@pytest.mark.parametrize(
    ("version", "kinds"),
    [
        ((11, 7), "50-virtual;61-virtual;70-virtual;75-virtual;80-virtual;86-real"),
        ((12, 4), "50-virtual;61-virtual;70-virtual;75-virtual;80-virtual;86-real;89-real;90-virtual"),
        ((13, 0), "75-virtual;80-virtual;86-real;89-real;90-virtual;120a-real"),
    ],
)
def test_without_a_gpu_it_is_for_all_common_ones(
    version: tuple[int, int], kinds: str, toolkit: CudaToolkit, tmp_path: Path
) -> None:
    """Those that the compiler knows, as llama.cpp would choose them."""
    assert f"-DCMAKE_CUDA_ARCHITECTURES={kinds}" == cuda_args(CudaToolkit(toolkit.root, version), (), tmp_path)[1]


def test_without_a_driver_its_memory_pool_is_left_out(toolkit: CudaToolkit, tmp_path: Path) -> None:
    """There is nothing to link it to; the driver's own library in the system's folders will do."""
    (toolkit.root / "lib64/stubs/libcuda.so").unlink()
    assert "-DGGML_CUDA_NO_VMM=on" in cuda_args(toolkit, (), tmp_path)
    driver = tmp_path / "usr/lib/x86_64-linux-gnu/libcuda.so.1"
    driver.parent.mkdir(parents=True)
    driver.touch()
    assert "-DGGML_CUDA_NO_VMM=on" not in cuda_args(toolkit, (), tmp_path)


@pytest.mark.parametrize(
    ("missing", "lacking"),
    [
        ("include/cublas_v2.h", "its header cublas_v2.h"),
        ("targets/x86_64-linux/lib/libcublas.so", "its library libcublas.so"),
    ],
)
def test_a_toolkit_without_cublas_is_noticed_before_the_long_build(
    missing: str, lacking: str, toolkit: CudaToolkit, tmp_path: Path
) -> None:
    """One line: what is missing, where, and the package of the same version."""
    (toolkit.root / missing).unlink()
    with pytest.raises(ToolMissingError) as raised:
        cuda_args(toolkit, ("90-real",), tmp_path)
    assert (
        f"CUDA=1 was asked for, but the CUDA toolkit at {toolkit.root} has no cuBLAS to build with ({lacking}); "
        "install it (NVIDIA's packages: apt-get install libcublas-dev-13-0, Debian's: nvidia-cuda-toolkit) or leave "
        "CUDA=1 out"
    ) == str(raised.value)


def test_the_toolkit_is_where_nvcc_says(tmp_path: Path) -> None:
    """Also where a script on PATH starts it; a place that the user names goes before."""
    shown = "#$ _HERE_=/opt/cuda/bin\n#$ TOP=/opt/cuda/bin/..\n#$ PATH=/bin\n"
    assert CudaToolkit(Path("/opt/cuda"), (13, 0)) == read_toolkit(shown, NVCC_13, Path("/usr/bin/nvcc"), {})
    named = {"CUDAToolkit_ROOT": "/opt/other"}
    assert Path("/opt/other") == read_toolkit(shown, NVCC_13, Path("/usr/bin/nvcc"), named).root
    nvcc = tmp_path / "bin" / "nvcc"
    assert CudaToolkit(tmp_path, (0, 0)) == read_toolkit("nvcc fatal", "", nvcc, {})


def test_a_toolkit_named_in_cmake_args_is_looked_at(tmp_path: Path) -> None:
    """It is the one that cmake will take."""
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\necho '{NVCC_13.strip()}'\n", encoding="utf-8")
    nvcc.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    found = find_cuda(environ, "-DX=1 -DCUDAToolkit_ROOT:PATH=/opt/mine")
    assert CudaToolkit(Path("/opt/mine"), (13, 0)) == found


@pytest.mark.parametrize(
    ("shown", "kinds"),
    [
        ("9.0\n", ("90-real",)),
        ("8.6\n8.6\n9.0\n", ("86-real", "90-real")),
        ("12.0\n", ("120a-real",)),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", ()),
        ("", ()),
    ],
)
def test_gpus_are_named_as_cmake_names_them(shown: str, kinds: tuple[str, ...]) -> None:
    """From their compute capabilities, each kind once."""
    assert kinds == read_gpus(shown)


def test_without_the_driver_there_is_no_gpu(tmp_path: Path) -> None:
    """Its tool is not there to be asked."""
    assert () == find_gpus({"PATH": str(tmp_path)})


def test_a_gpu_that_is_not_asked_for_is_pointed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line; the build goes on for the processor."""
    for name, says in (("nvidia-smi", "9.0"), ("nvcc", "nvcc"), ("cc", "cc 1.2.3")):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
        tool.chmod(0o755)
    lock = tmp_path / "requirements.lock"
    lock.write_text("llama-cpp-python==1.0\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    code = main(["--lock", str(lock)])
    shown = capsys.readouterr()
    assert 2 == code  # there is no cmake on that PATH
    hint, missing = shown.err.splitlines()
    assert "there is an NVIDIA GPU and its compiler; the same command with CUDA=1 builds for it" in hint
    assert "cmake is not on PATH" in missing

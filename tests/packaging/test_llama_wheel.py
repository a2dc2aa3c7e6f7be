"""The flags that llama.cpp is built with, and the place its wheel is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.engine.llama.wheel import (
    Compiler,
    ToolMissingError,
    build,
    choose_cmake_args,
    cuda_args,
    find_compiler,
    locked_version,
    main,
    plan,
    processor_flags,
    read_banner,
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
        cuda_args({"PATH": str(tmp_path)})


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

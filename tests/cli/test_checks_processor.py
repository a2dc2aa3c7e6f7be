"""What the processor can do beside what the library was built with."""

from __future__ import annotations

import pytest

from codeassistd.cli.checks import Check, Verdict
from codeassistd.cli.checks_processor import check_features
from codeassistd.engine.llama.probe import LibraryFacts


def built(info: str) -> LibraryFacts:
    return LibraryFacts("0.3.36", info, gpu_offload=False, devices=(), n_decoded=0)


@pytest.mark.parametrize(
    ("flags", "info", "verdict", "found"),
    [
        ("fpu avx2 fma", "CPU : AVX2 = 1 | FMA = 1 |", Verdict.OK, "avx2, fma; the build uses all of them"),
        (
            "avx2 avx512f",
            "CPU : AVX2 = 1 | AVX512 = 0 |",
            Verdict.WARN,
            "avx2, avx512f; the build does not use avx512f",
        ),
        ("avx2 amx_int8", "CPU : AVX2 = 1 |", Verdict.OK, "avx2, amx_int8; the build does not use amx_int8"),
        ("asimd i8mm", "CPU : NEON = 1 | MATMUL_INT8 = 1 |", Verdict.OK, "asimd, i8mm; the build uses all of them"),
        ("", "CPU : NEON = 1 | DOTPROD = 1 |", Verdict.OK, "this system does not tell; the build has NEON, DOTPROD"),
    ],
)
def test_a_build_that_leaves_much_out_is_a_warning(flags: str, info: str, verdict: Verdict, found: str) -> None:
    """But not where that is done on purpose, because code of it ends the process."""
    check = check_features(built(info), frozenset(flags.split()))

    assert (verdict, found) == (check.verdict, check.found)
    assert (verdict is Verdict.WARN) == bool(check.remedy)


def test_a_library_that_does_not_work_says_nothing_about_itself() -> None:
    """It has a line of its own; what the processor can do is of use all the same."""
    assert Check("features", Verdict.OK, "avx2") == check_features(None, frozenset({"avx2", "fpu"}))
    assert Check("features", Verdict.OK, "not told") == check_features(None, frozenset())

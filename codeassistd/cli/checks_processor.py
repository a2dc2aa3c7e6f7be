"""What the processor can do, and whether the llama.cpp in force uses it."""

from __future__ import annotations

import re

from codeassistd.cli.checks import Check, Verdict
from codeassistd.engine.llama.probe import LibraryFacts

__all__ = ["check_features"]

#: Features that make matrix products faster: as Linux names them, and as llama.cpp says that it was built with them.
_FEATURES = {
    "avx": "AVX",
    "avx2": "AVX2",
    "f16c": "F16C",
    "fma": "FMA",
    "avx_vnni": "AVX_VNNI",
    "avx512f": "AVX512",
    "avx512_vnni": "AVX512_VNNI",
    "avx512_bf16": "AVX512_BF16",
    "asimd": "NEON",
    "asimddp": "DOTPROD",
    "i8mm": "MATMUL_INT8",
    "sve": "SVE",
}
#: Left out on purpose where a compiler makes code of it that ends the process, and no loss that one would feel.
_OPTIONAL = {"amx_int8": "AMX_INT8"}
_BUILT = re.compile(r"(\w+) = 1")


def check_features(facts: LibraryFacts | None, flags: frozenset[str]) -> Check:
    """Which of the features that matter the processor has, and which of these the library leaves out.

    Args:
        facts: of the library; None if it does not work, which has a line of its own.
        flags: of the processor, as Linux names them; empty where the system does not tell.
    """
    present = {flag: name for flag, name in (_FEATURES | _OPTIONAL).items() if flag in flags}
    if not present:
        built = ", ".join(_BUILT.findall(facts.system_info)) if facts else ""
        return Check(
            "features", Verdict.OK, f"this system does not tell; the build has {built}" if built else "not told"
        )
    found = ", ".join(present)
    if facts is None:
        return Check("features", Verdict.OK, found)
    built_with = set(_BUILT.findall(facts.system_info))
    unused = [flag for flag, name in present.items() if name not in built_with]
    if not unused:
        return Check("features", Verdict.OK, f"{found}; the build uses all of them")
    found = f"{found}; the build does not use {', '.join(unused)}"
    if all(flag in _OPTIONAL for flag in unused):
        return Check("features", Verdict.OK, found)
    remedy = "pip install --no-cache-dir --force-reinstall llama-cpp-python builds it for this processor"
    return Check("features", Verdict.WARN, found, remedy)

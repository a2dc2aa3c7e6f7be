"""The figures of `eval infill`, over all problems. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from codeassistd.evals.infill.run import Solved
from codeassistd.evals.paired import Values
from codeassistd.evals.sandbox.sandbox import Verdict
from codeassistd.metrics.stats import share

__all__ = ["causes", "infill_figures", "infill_values"]


def infill_values(solved: Sequence[Solved]) -> dict[str, Values]:
    """Each figure by problem, to be compared."""
    return {
        "pass_at_1": [float(_passed(one)) for one in solved],
        "compile_rate": [float(one.compiles) for one in solved],
        "format_kept_rate": [None if one.format is None else float(one.format.is_kept) for one in solved],
        "exact_rate": [float(_is_exact(one)) for one in solved],
    }


def infill_figures(solved: Sequence[Solved]) -> dict[str, float | int | None]:
    """Counts and shares over all problems: one that nothing was shown for has not passed, and has no format."""
    figures: dict[str, float | int | None] = {"n_problems": len(solved)}
    figures["n_shown"] = sum(one.inserted is not None for one in solved)
    for name, values in infill_values(solved).items():
        known = [value for value in values if value is not None]
        figures[name] = share(sum(known), len(known))
    for name in ("indent", "quotes", "brackets"):
        kept = [getattr(one.format, name) for one in solved if one.format is not None]
        figures[f"{name}_kept_rate"] = share(kept.count(True), len(kept) - kept.count(None))
    return figures


def causes(solved: Sequence[Solved]) -> dict[str, int]:
    """Why problems did not pass, the most frequent first."""
    found = Counter(_cause(one) for one in solved if not _passed(one))
    return dict(found.most_common())


def _passed(one: Solved) -> bool:
    return one.ran is not None and one.ran.verdict is Verdict.PASSED


def _is_exact(one: Solved) -> bool:
    return one.inserted is not None and one.inserted.strip() == one.problem.solution.strip()


def _cause(one: Solved) -> str:
    if one.ran is None:
        return "nothing was shown"
    if one.ran.verdict is Verdict.FAILED:
        return one.ran.detail.partition(":")[0]
    return one.ran.verdict.value

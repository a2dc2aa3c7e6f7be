"""From the results of the cases to the figures of the eval."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from codeassistd.evals.context.case import Use
from codeassistd.evals.context.judged import Judged
from codeassistd.evals.context.run import CaseResult
from codeassistd.evals.context.ways import Way
from codeassistd.evals.paired import vs_rows
from codeassistd.metrics.goals import Goal, at_least, at_most
from codeassistd.metrics.stats import bootstrap, percentile, share

__all__ = ["GOALS", "compared", "figures_of", "misses_of"]

GOALS: Mapping[str, Goal] = {
    "definition_recall_at_1000": at_least(0.90),
    "definition_recall_at_2500": at_least(0.95),
    "tokens_reused": at_least(0.95),
    "build_ms_p95": at_most(15),
}


_JUDGED: Mapping[str, Callable[[Judged], float]] = {
    "truth_nll": lambda judged: judged.nll,
    "next_line_exact": lambda judged: float(judged.is_exact),
    "edit_similarity": lambda judged: judged.similarity,
}


def figures_of(results: Sequence[CaseResult], sizes: Sequence[int]) -> dict[str, float | int | None]:
    """All figures over `results`."""
    members = [result for result in results if result.case.use is Use.MEMBER]
    figures: dict[str, float | int | None] = {
        "n_cases": len(results),
        "member_share": share(len(members), len(results)),
    }
    for size in sizes:
        figures[f"definition_recall_at_{size}"] = _recall(results, Way.OURS, size)
        figures[f"definition_recall_at_{size}_members"] = _recall(members, Way.OURS, size)
        for way in (Way.FILE, Way.RING):
            figures[f"definition_recall_at_{size}_{way.value}"] = _recall(results, way, size)
    figures["tokens_reused"] = share(
        sum(result.typed.n_reused for result in results), sum(result.typed.n_prompt for result in results)
    )
    build_ms = [each for result in results for each in result.typed.build_ms]
    figures["build_ms_p50"], figures["build_ms_p95"] = percentile(build_ms, 50), percentile(build_ms, 95)
    return figures | _judged_figures([result.judged for result in results if result.judged])


def _judged_figures(judged: Sequence[Mapping[Way, Judged]]) -> dict[str, float | int | None]:
    """What the model makes of each way, and how much better ours does than each other, case by case."""
    figures: dict[str, float | int | None] = {}
    if not judged:
        return figures
    for way in judged[0]:
        figures[f"truth_nll_{way.value}"] = statistics.fmean(each[way].nll for each in judged)
        figures[f"next_line_exact_{way.value}"] = statistics.fmean(each[way].is_exact for each in judged)
        figures[f"edit_similarity_{way.value}"] = statistics.fmean(each[way].similarity for each in judged)
    for way in judged[0]:
        if way not in {Way.OURS, Way.OTHER}:
            # Below zero: the true line is likelier behind our prompt.
            pairs = [each[Way.OURS].nll - each[way].nll for each in judged]
            interval = bootstrap(pairs, statistics.fmean)
            name = f"truth_nll_against_{way.value}"
            figures |= {name: statistics.fmean(pairs), f"{name}_low": interval.low, f"{name}_high": interval.high}
    return figures


def compared(results: Sequence[CaseResult], sizes: Sequence[int]) -> list[dict[str, object]]:
    """The rows that compare our settings with the others, case by case; none without others."""
    figures: dict[str, tuple[list[float | None], list[float | None]]] = {}
    if not results or (Way.OTHER, sizes[0]) not in results[0].shown:
        return []
    for size in sizes:
        ours, other = ([float(each.shown[way, size]) for each in results] for way in (Way.OURS, Way.OTHER))
        figures[f"definition_recall_at_{size}"] = [*ours], [*other]
    judged = [each.judged for each in results if each.judged]
    if judged:
        for name, value in _JUDGED.items():
            ours, other = ([value(each[way]) for each in judged] for way in (Way.OURS, Way.OTHER))
            figures[name] = [*ours], [*other]
    return list(vs_rows(figures))


def misses_of(results: Sequence[CaseResult], size: int) -> dict[str, int]:
    """How many definitions our prompts of `size` tokens lack, by cause, the most frequent first."""
    causes = Counter(result.cause[size].value for result in results if size in result.cause)
    return dict(causes.most_common())


def _recall(results: Sequence[CaseResult], way: Way, size: int) -> float | None:
    return share(sum(result.shown[way, size] for result in results), len(results))

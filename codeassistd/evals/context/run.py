"""Runs the eval over repositories: index, cases, prompts, figures."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from codeassistd.catalogue.profile import Profile
from codeassistd.clock import Clock
from codeassistd.config import ContextSettings, IndexSettings
from codeassistd.engine.backend import Vocabulary
from codeassistd.errors import UsageError
from codeassistd.evals.context.case import Case
from codeassistd.evals.context.cut import cut_cases
from codeassistd.evals.context.judged import Judged, judge
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.context.recall import Cause, cause_of_miss, is_shown
from codeassistd.evals.context.repository import read_repository
from codeassistd.evals.context.ring import Windows, recent_windows
from codeassistd.evals.context.typed import Typed, type_in
from codeassistd.evals.context.ways import Asker, Way
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import IndexLookup
from codeassistd.paths import Paths

__all__ = ["CaseResult", "Plan", "Voice", "indexed", "run_context"]

OnStep = Callable[[str, int, int], None]
"""Told what is done, and how far."""

_INDEX_S = 600.0
_PLENTY = 24_000
"""Tokens of a prompt that has room for whatever was found."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure.

    Attributes:
        n_cases: most cases of each repository.
        sizes: tokens of the prompts that are looked at, the smallest first.
        judged_size: tokens of the prompts that the model is judged with.
        other: settings that ours are compared with, case by case; None for no such comparison.
    """

    roots: Sequence[Path]
    n_cases: int
    seed: int
    sizes: Sequence[int]
    settings: ContextSettings
    judged_size: int
    other: ContextSettings | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """Who is asked: the vocabulary and how it wants its prompts, and a model, if there is one."""

    vocabulary: Vocabulary
    profile: Profile
    clock: Clock
    reader: Reader | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case.

    Attributes:
        shown: whether the definition is in the prompt of a way and a number of tokens.
        cause: why it is not in ours, by the number of tokens.
        judged: what the model makes of each way; empty without a model.
    """

    repository: str
    case: Case
    shown: Mapping[tuple[Way, int], bool]
    cause: Mapping[int, Cause]
    typed: Typed
    judged: Mapping[Way, Judged]


def run_context(plan: Plan, voice: Voice, on_step: OnStep) -> list[CaseResult]:
    """The results of all cases, repository by repository.

    Raises:
        UsageError: a repository cannot be read, or has no line to ask for.
    """
    results: list[CaseResult] = []
    for root in plan.roots:
        repository = read_repository(root, partial(on_step, f"reading {root.name}"))
        cases = cut_cases(repository, plan.n_cases, plan.seed)
        if not cases:
            raise UsageError(
                f"{root} has no line that needs what another of its files defines; give a larger repository"
            )
        with indexed(root, voice.clock) as lookup:
            asker = Asker(root, lookup, voice.vocabulary, voice.profile, plan.settings)
            for number, case in enumerate(cases, 1):
                on_step(f"asking in {root.name}", number, len(cases))
                windows = recent_windows(case, repository, plan.seed)
                results.append(_result(case, windows, asker, plan, voice))
    return results


def _result(case: Case, windows: Windows, asker: Asker, plan: Plan, voice: Voice) -> CaseResult:
    shown: dict[tuple[Way, int], bool] = {}
    other = replace(asker, settings=plan.other) if plan.other is not None else None
    causes: dict[int, Cause] = {}
    for size in plan.sizes:
        for way, prompt in asker.prompts(case, windows, size).items():
            shown[way, size] = is_shown(case, prompt)
        if other is not None:
            shown[Way.OTHER, size] = is_shown(case, other.ours(case, size))
        if not shown[Way.OURS, size]:
            causes[size] = cause_of_miss(case, asker.lookup, asker.root, lambda: asker.ours(case, _PLENTY))
    judged: dict[Way, Judged] = {}
    if voice.reader is not None:
        prompts = dict(asker.prompts(case, windows, plan.judged_size))
        if other is not None:
            prompts[Way.OTHER] = other.ours(case, plan.judged_size)
        judged = judge(case, prompts, voice.reader, asker.vocabulary)
    typed = type_in(case, asker, plan.sizes[0], voice.clock)
    return CaseResult(asker.root.name, case, shown, causes, typed, judged)


@contextlib.contextmanager
def indexed(root: Path, clock: Clock) -> Iterator[IndexLookup]:
    """An index of `root` alone, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="codeassistd-") as folder:
        paths = Paths.resolve({"CODEASSISTD_HOME": folder})
        indexer = Indexer(paths, IndexSettings(watch="off"), clock, lambda: None)
        indexer.start()
        try:
            indexer.add_workspace(root)
            if not indexer.wait_idle(_INDEX_S):
                raise UsageError(f"{root} is not indexed after {_INDEX_S:g} s; give a smaller repository")
            if not any(workspace.n_symbols for workspace in indexer.status().workspaces):
                raise UsageError(f"nothing of {root} is in the index; see `codeassistd index status`, or try again")
            yield indexer.lookup
        finally:
            indexer.stop()

"""Asks for the hole of each problem as an editor would, and runs the tests of what comes."""

from __future__ import annotations

import asyncio
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.config import Settings
from codeassistd.engine.backend import BackendFactory
from codeassistd.evals.infill.problem import Problem
from codeassistd.evals.product import Asked, open_product
from codeassistd.evals.sandbox.sandbox import Ran, Sandbox
from codeassistd.evals.style import Format, format_of
from codeassistd.paths import Paths

__all__ = ["InfillRun", "Solved", "run_infill"]


@dataclass(frozen=True, slots=True)
class Solved:
    """What came of one problem.

    Attributes:
        inserted: what would be shown; None for nothing.
        ran: how the tests ended; None where nothing was shown.
        compiles: whether Python's compiler takes the function.
        format: of what was inserted; None where nothing was.
        reason: why nothing came, or why so much, in the program's words.
    """

    problem: Problem
    inserted: str | None
    ran: Ran | None
    compiles: bool
    format: Format | None
    reason: str


@dataclass(frozen=True, slots=True)
class InfillRun:
    """All problems; `model` and `effective` tell who answered."""

    solved: tuple[Solved, ...]
    model: str
    effective: dict[str, str]


def run_infill(
    problems: Sequence[Problem],
    paths: Paths,
    settings: Settings,
    sandbox: Sandbox,
    *,
    on_problem: Callable[[], None],
    substitute: BackendFactory | None = None,
) -> InfillRun:
    """Carry it out with the model that `settings` choose; blocks.

    Raises:
        ModelError: the model cannot be had or loaded.
        EngineError: it failed.
    """

    async def work() -> InfillRun:
        solved: list[Solved] = []
        async with open_product(paths, settings, substitute) as product:
            for problem in problems:
                result = await product.suggest(_asked(problem))
                inserted = result.suggestion.text if result.suggestion is not None else None
                ran = None if inserted is None else await asyncio.to_thread(sandbox.run, problem.program(inserted))
                solved.append(_solved(problem, inserted, ran, result.span.reason))
                on_problem()
            return InfillRun(tuple(solved), product.model_name, product.effective)

    return asyncio.run(work())


def _asked(problem: Problem) -> Asked:
    # A name alone: nothing is written there, and nothing is read.
    path = Path(tempfile.gettempdir()) / "solution.py"
    return Asked(path=path, language="python", before=problem.prompt, after=problem.after)


def _solved(problem: Problem, inserted: str | None, ran: Ran | None, reason: str) -> Solved:
    if inserted is None:
        return Solved(problem, None, None, compiles=False, format=None, reason=reason)
    kept = format_of(problem.prompt, inserted, problem.after, problem.solution.removesuffix("\n"))
    return Solved(problem, inserted, ran, _compiles(problem.filled(inserted)), kept, reason)


def _compiles(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<problem>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True

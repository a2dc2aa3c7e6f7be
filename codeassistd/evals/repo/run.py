"""Cuts holes into files of repositories, and has them filled with the whole context and without each layer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.clock import SystemClock
from codeassistd.config import Settings
from codeassistd.engine.backend import BackendFactory
from codeassistd.errors import UsageError
from codeassistd.evals.context.run import indexed
from codeassistd.evals.fit.spots import Kind, Spot, choose_spots, source_files
from codeassistd.evals.product import Asked, Product, open_product
from codeassistd.evals.repo.filled import Filled, filled
from codeassistd.evals.repo.layers import Layer, has_layer, without
from codeassistd.index.types import IndexLookup
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages

__all__ = ["Hole", "RepoPlan", "RepoRun", "run_repo"]

_KINDS = tuple(kind for kind in Kind if kind is not Kind.LINE_END)
"""Nothing is missing at the end of a complete line."""


@dataclass(frozen=True, slots=True)
class RepoPlan:
    """What is asked.

    Attributes:
        roots: folders of source.
        n_holes: most holes of each.
        layers: what is left out in turn.
    """

    roots: Sequence[Path]
    n_holes: int
    seed: int
    layers: Sequence[Layer]


@dataclass(frozen=True, slots=True)
class Hole:
    """One hole, filled.

    Attributes:
        ours: with the whole context.
        parts: kinds of parts that its prompt had.
        without: without each layer; the same as ours where the prompt did not have it.
        reason: why nothing came, or why so much.
    """

    repository: str
    spot: Spot
    ours: Filled
    parts: frozenset[str]
    without: Mapping[Layer, Filled]
    reason: str


@dataclass(frozen=True, slots=True)
class RepoRun:
    """All holes; `model` and `effective` tell who answered."""

    holes: tuple[Hole, ...]
    model: str
    effective: Mapping[str, str]


def run_repo(
    plan: RepoPlan,
    paths: Paths,
    settings: Settings,
    *,
    on_hole: Callable[[str, int, int], None],
    substitute: BackendFactory | None = None,
) -> RepoRun:
    """Carry it out with the model that `settings` choose; blocks.

    Args:
        plan: what is asked.
        paths: where the model is.
        settings: what is in force.
        on_hole: told the repository, how many of its holes are done, and how many there are.
        substitute: loads in place of llama.cpp.

    Raises:
        UsageError: a folder has no file that a hole can be cut into.
        ModelError: the model cannot be had or loaded.
        EngineError: it failed.
    """
    languages = Languages.default()
    spots = {root: _spots(root, plan, languages) for root in plan.roots}

    async def work() -> RepoRun:
        holes: list[Hole] = []
        async with open_product(paths, settings, substitute) as product:
            for root, chosen in spots.items():
                on_hole(root.name, 0, len(chosen))
                with indexed(root, SystemClock()) as lookup:
                    filler = _Filler(root, lookup, product, languages)
                    for number, spot in enumerate(chosen, 1):
                        holes.append(await filler.fill(spot, plan.layers))
                        on_hole(root.name, number, len(chosen))
            return RepoRun(tuple(holes), product.model_name, product.effective)

    return asyncio.run(work())


def _spots(root: Path, plan: RepoPlan, languages: Languages) -> list[Spot]:
    spots = choose_spots(source_files([root], languages), plan.n_holes, plan.seed, languages, _KINDS)
    if not spots:
        raise UsageError(f"{root} has no source of a known language to cut a hole into; give the root of a repository")
    return spots


@dataclass(frozen=True, slots=True)
class _Filler:
    """Fills the holes of one repository."""

    root: Path
    lookup: IndexLookup
    product: Product
    languages: Languages

    async def fill(self, spot: Spot, layers: Sequence[Layer]) -> Hole:
        """With everything, and without each layer that the prompt had."""
        result = await self.product.suggest(self._asked(spot, None))
        ours = filled(spot, None if result.suggestion is None else result.suggestion.text, self.languages)
        parts = frozenset(part.name for part in result.span.parts)
        others: dict[Layer, Filled] = {}
        for layer in layers:
            others[layer] = ours
            if has_layer(parts, layer):
                other = (await self.product.suggest(self._asked(spot, layer))).suggestion
                others[layer] = filled(spot, None if other is None else other.text, self.languages)
        return Hole(self.root.name, spot, ours, parts, others, result.span.reason)

    def _asked(self, spot: Spot, layer: Layer | None) -> Asked:
        lookup, context = self.lookup, self.product.context
        if layer is not None:
            lookup, context = without(layer, lookup, context)
        return Asked(
            path=spot.path,
            language=spot.language,
            before=spot.before,
            after=spot.after,
            root=self.root,
            lookup=lookup,
            context=context,
        )

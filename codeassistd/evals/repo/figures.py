"""The figures of `eval repo`, and what each layer changes. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from codeassistd.evals.paired import Values, vs_rows
from codeassistd.evals.repo.filled import Filled
from codeassistd.evals.repo.layers import Layer, has_layer
from codeassistd.evals.repo.run import Hole
from codeassistd.metrics.stats import share

__all__ = ["grouped", "layer_rows", "repo_figures", "repo_values"]


def repo_values(all_filled: Sequence[Filled]) -> dict[str, Values]:
    """Each figure by hole; None where nothing was shown that it could be said of."""
    return {
        "exact_rate": [float(one.is_exact) for one in all_filled],
        "first_line_rate": [float(one.is_first_line) for one in all_filled],
        "edit_similarity": [one.similarity for one in all_filled],
        "compile_rate": [None if one.compiles is None else float(one.compiles) for one in all_filled],
        "format_kept_rate": [None if one.format is None else float(one.format.is_kept) for one in all_filled],
    }


def repo_figures(all_filled: Sequence[Filled]) -> dict[str, float | int | None]:
    """Counts and means over holes: where nothing was shown, nothing is right."""
    figures: dict[str, float | int | None] = {"n_holes": len(all_filled)}
    shown = sum(one.inserted is not None for one in all_filled)
    figures["show_rate"] = share(shown, len(all_filled))
    for name, values in repo_values(all_filled).items():
        known = [value for value in values if value is not None]
        figures[name] = statistics.fmean(known) if known else None
    for name in ("indent", "quotes", "brackets"):
        kept = [getattr(one.format, name) for one in all_filled if one.format is not None]
        figures[f"{name}_kept_rate"] = share(kept.count(True), len(kept) - kept.count(None))
    return figures


def grouped(holes: Sequence[Hole]) -> list[tuple[str, list[Filled]]]:
    """What was filled in with the whole context, by repository, by kind of hole, by language."""
    keys: tuple[Callable[[Hole], str], ...] = (
        lambda hole: hole.repository,
        lambda hole: hole.spot.kind.value,
        lambda hole: hole.spot.language,
    )
    return [
        (name, [hole.ours for hole in some]) for key in keys for name, some in groupby(sorted(holes, key=key), key=key)
    ]


def layer_rows(holes: Sequence[Hole], layers: Sequence[Layer]) -> Iterator[dict[str, object]]:
    """What changes without each layer, hole by hole; `n_had` prompts had it at all."""
    mine = repo_values([hole.ours for hole in holes])
    for layer in layers:
        other = repo_values([hole.without[layer] for hole in holes])
        n_had = sum(has_layer(hole.parts, layer) for hole in holes)
        yield from vs_rows(
            {name: (mine[name], other[name]) for name in mine}, table="layers", without=layer.value, n_had=n_had
        )

"""`bench matrix`: what each optimisation is worth beside the others, in speed and in quality."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import psutil
import typer

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.cli.options import AsJson, Assignments, Beside
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, notices, print_table, share_progress
from codeassistd.config import Settings
from codeassistd.config_layers import load, parse_assignments
from codeassistd.daemon.model_files import chosen_model
from codeassistd.paths import Paths
from codeassistd.tuning.matrix import AXES, TEXT_AXES, Cell, combinations, run_matrix

__all__ = ["register"]

_MAX_ROUNDS = 20
_N_BLOCKS = 4
_MAX_BLOCKS = 100


def register(bench: typer.Typer) -> None:
    """Add the verb to `bench`."""
    bench.command("matrix")(_matrix)


def _matrix(
    *,
    n_rounds: Annotated[
        int, typer.Option("--rounds", min=1, max=_MAX_ROUNDS, help="How often each combination is typed.")
    ] = 1,
    n_blocks: Annotated[
        int, typer.Option("--blocks", min=1, max=_MAX_BLOCKS, help="Blocks of keys, each in another file, in a round.")
    ] = _N_BLOCKS,
    beside: Beside = False,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Measure typing and quality with every combination of cache format, pruning, guesses and caches.

    Some twenty minutes with a small model on a processor.
    """
    from codeassistd.tuning.library_measure import Extent, LibraryMeasure  # noqa: PLC0415 - loads what only evals need

    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settings = load(paths, overrides=overrides).settings
    if not beside:
        refuse_beside_a_daemon(paths)

    def settings_with(values: Mapping[str, str]) -> Settings:
        return load(paths, overrides={**overrides, **values}).settings

    load_before = psutil.getloadavg()[0]
    n_texts = len({tuple(choice[axis] for axis in TEXT_AXES) for choice in combinations()})
    progress = share_progress()
    with progress:
        task = progress.add_task("beginning", total=n_texts + n_rounds * len(combinations()))

        def tell(line: str) -> None:
            if progress.disable:
                notices().print(line, markup=False)
            progress.update(task, advance=1, description=line)

        cells = run_matrix(LibraryMeasure(paths, extent=Extent(n_blocks)), settings_with, n_rounds, tell)
    report = Report(
        "bench matrix",
        asked={
            "rounds": n_rounds,
            "blocks": n_blocks,
            "set": overrides,
            "axes": {axis: list(levels) for axis, levels in AXES.items()},
        },
        effective={"model": chosen_model(Catalogue(paths), settings.model), "load_before": load_before},
        figures=_figures(cells),
        rows=[_row(cell) for cell in cells],
    )
    if as_json:
        typer.echo(report.as_json())
        return
    print_table(tuple(_row(cells[0])), ([_cell(value) for value in _row(cell).values()] for cell in cells))
    answers().print(f"\n{report.effective['model']}; load of the machine before: {load_before:.1f}")


def _figures(cells: tuple[Cell, ...]) -> dict[str, object]:
    """How many combinations there are, and which of them is the fastest without a loss that can be seen."""
    measured = [cell for cell in cells if cell.p90_ms is not None]
    lossless = [cell for cell in measured if cell.quality is not None and (cell.quality.low or 0.0) <= 0.0]
    best = min(lossless, key=lambda cell: cell.p90_ms or 0.0, default=None)
    return {
        "n_cells": len(cells),
        "n_failed": sum(bool(cell.problem) for cell in cells),
        "fastest_without_loss": "" if best is None else ", ".join(best.choice.values()),
        "fastest_p90_ms": None if best is None else best.p90_ms,
    }


def _row(cell: Cell) -> dict[str, object]:
    quality = cell.quality
    return {
        **cell.choice,
        "p50_ms": cell.p50_ms,
        "p90_ms": cell.p90_ms,
        "nll": None if quality is None else quality.theirs,
        "nll_change": None if quality is None else quality.change,
        "low": None if quality is None else quality.low,
        "high": None if quality is None else quality.high,
        "problem": cell.problem,
    }


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1 else f"{value:.1f}"
    return "-" if value is None else str(value)

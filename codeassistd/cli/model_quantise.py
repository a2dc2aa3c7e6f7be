"""`model quantise`: a copy of a model in other number formats, and what it has lost by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeassistd.catalogue.catalogue import Catalogue, ResolvedModel
from codeassistd.catalogue.folder import write_json
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import byte_progress, notices, print_table, share_progress
from codeassistd.config_layers import load
from codeassistd.errors import ModelError, UsageError
from codeassistd.paths import Paths

if TYPE_CHECKING:
    from codeassistd.tuning.quantise import Quantised
    from codeassistd.tuning.recipe import Rule
    from codeassistd.tuning.regression import Regression

__all__ = ["quantise"]

_MEGABYTE = 1_000_000
_MAX_TEXTS = 20
_REPORT_SUFFIX = ".quantise.json"
_OF_SOURCE = ("perplexity", "compile_rate", "pass_rate")
#: Each figure of the copy, and beside it the source's own where it has one.
_HEADINGS = ("texts", "n", "agree", "agree if clear", "perplexity", "was", "compiles", "was", "right", "was")


def quantise(
    source: Annotated[str, typer.Argument(metavar="SRC", help="A model of `model list`, or a GGUF file.")],
    target: Annotated[Path, typer.Argument(metavar="DST", help="Where the copy goes: a path that ends in .gguf.")],
    *,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            help="`mixed`: attention 8 bits, feed-forward 4, head and embeddings as they are; `none`: none.",
        ),
    ] = "mixed",
    tensors: Annotated[
        list[str] | None,
        typer.Option(
            "--tensor",
            metavar="PATTERN=TYPE",
            help="Tensors with such a name in that type, as in `attn_v=q8_0`; repeatable.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over DST and its report, and from one coarse format to another.")
    ] = False,
    n_texts: Annotated[
        int,
        typer.Option("--texts", min=0, max=_MAX_TEXTS, help="Texts of each kind to compare the two with; 0 does not."),
    ] = 2,
    as_json: AsJson = False,
) -> None:
    """Write a copy of a model in other number formats, and tell what it has lost."""
    # Here and not above: a help page must not load the native library.
    from codeassistd.tuning.recipe import RECIPES, parse_rule  # noqa: PLC0415 - see above

    if recipe not in RECIPES:
        raise UsageError(f"there is no recipe {recipe}; known are {', '.join(RECIPES)}")
    rules = [parse_rule(text) for text in tensors or ()]
    paths = Paths.resolve()
    model = Catalogue(paths).resolve(source)
    target = target.expanduser().absolute()
    # A copy that is there is refused as such.
    if _report_of(target).exists() and not (force or target.exists()):
        raise UsageError(f"{_report_of(target)} is there already, with an older report; write over it with --force")
    written = _write(model, target, recipe, rules, force=force)
    try:
        regression = _compare(paths, (model.path, target), n_texts) if n_texts else None
    except KeyboardInterrupt:
        notices().print(f"codeassistd: {target} is written, but what it has lost was not measured", markup=False)
        raise
    asked = {"source": source, "target": str(target), "recipe": recipe, "tensors": tensors or [], "force": force}
    report = _report(asked, str(model.path), written, regression)
    _keep(report, target)
    if as_json:
        typer.echo(report.as_json())
    else:
        _show(target, written, regression)


def _write(model: ResolvedModel, target: Path, recipe: str, rules: Sequence[Rule], *, force: bool) -> Quantised:
    from codeassistd.tuning.quantise import quantise as write  # noqa: PLC0415 - see `quantise`

    with byte_progress() as progress:
        bar = progress.add_task(target.name, total=None)

        def show(n_done: int, n_bytes: int) -> None:
            if progress.disable and n_done == 0:
                notices().print(f"writing {target.name} ({n_bytes // _MEGABYTE:,} MB)")
            progress.update(bar, completed=n_done, total=n_bytes)

        return write(model, target, recipe, rules, show, force=force)


def _compare(paths: Paths, files: tuple[Path, Path], n_texts: int) -> Regression:
    from codeassistd.tuning.regression import Effort, find_regression  # noqa: PLC0415 - see `quantise`

    with share_progress() as progress:
        if progress.disable:
            notices().print("comparing it with its source")
        bar = progress.add_task("comparing", total=None)
        return find_regression(
            paths,
            load(paths).settings.model,
            files,
            Effort(n_texts),
            lambda done, total: progress.update(bar, completed=done, total=total),
        )


def _report(asked: Mapping[str, object], source: str, written: Quantised, regression: Regression | None) -> Report:
    figures: dict[str, object] = {
        "source_bytes": written.source_bytes,
        "target_bytes": written.target_bytes,
        "n_changed": len(written.plan.types),
        "n_harmed": len(written.plan.harmed),
        "n_left": len(written.plan.left),
    }
    rows: list[Mapping[str, object]] = []
    if regression is not None:
        figures |= regression.all
        for kind, numbers in regression.by_kind.items():
            rows.append({"texts": kind, **numbers, **{f"source_{k}": regression.source[kind][k] for k in _OF_SOURCE}})
    effective = {
        "source": source,
        "source_types": dict(written.plan.source_types),
        "target_types": dict(written.target_types),
        "tensors": {name: kind.name for name, kind in written.plan.types.items()},
    }
    return Report("model quantise", asked, effective, figures, rows)


def _report_of(target: Path) -> Path:
    return target.with_suffix(_REPORT_SUFFIX)


def _keep(report: Report, target: Path) -> None:
    """Store the report beside the copy."""
    path = _report_of(target)
    try:
        write_json(path, asdict(report))
    except OSError as error:
        raise ModelError(f"the copy is written, but not its report {path}: {error.strerror}") from error
    notices().print(f"codeassistd: the report is in {path}", markup=False)


def _show(target: Path, written: Quantised, regression: Regression | None) -> None:
    was, now = written.source_bytes // _MEGABYTE, written.target_bytes // _MEGABYTE
    typer.echo(str(target))
    notices().print(
        f"codeassistd: {len(written.plan.types)} tensors changed, {was:,} MB before and {now:,} MB now; the source "
        f"was in {written.plan.source_names}, the copy has {', '.join(written.target_types)}",
        markup=False,
    )
    if written.plan.harmed:
        notices().print(f"codeassistd: {len(written.plan.harmed)} tensors went from one coarse format to another")
    if written.plan.left:
        notices().print(
            f"codeassistd: {len(written.plan.left)} tensors stayed as they were: their rows fit no such type"
        )
    if regression is None:
        return
    rows = [(kind, *_cells(numbers, regression.source[kind])) for kind, numbers in regression.by_kind.items()]
    print_table(_HEADINGS, rows)


def _cells(copy: Mapping[str, float | int | None], source: Mapping[str, float | int | None]) -> tuple[str, ...]:
    return (
        str(copy["n_probes"]),
        _share(copy["agreement_share"]),
        _share(copy["clear_agreement_share"]),
        _number(copy["perplexity"]),
        _number(source["perplexity"]),
        _share(copy["compile_rate"]),
        _share(source["compile_rate"]),
        _share(copy["pass_rate"]),
        _share(source["pass_rate"]),
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

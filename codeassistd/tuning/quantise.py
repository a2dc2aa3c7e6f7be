"""Write a model in the number formats of a recipe: all checks first, then the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.catalogue.catalogue import ResolvedModel
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.retype import fast_int4, write_types
from codeassistd.engine.llama.written import OnWritten
from codeassistd.errors import UsageError
from codeassistd.tuning.recipe import Rule, TensorPlan, make_plan

__all__ = ["Quantised", "quantise"]

_SUFFIX = ".gguf"


@dataclass(frozen=True, slots=True)
class Quantised:
    """What was written.

    Attributes:
        plan: by which it was written.
        target_types: how many of the target's weights, in bytes, have which format.
        source_bytes, target_bytes: lengths of the files.
    """

    plan: TensorPlan
    target_types: Mapping[str, int]
    source_bytes: int
    target_bytes: int


def quantise(
    source: ResolvedModel,
    target: Path,
    recipe: str,
    rules: Sequence[Rule],
    on_written: OnWritten,
    *,
    force: bool = False,
) -> Quantised:
    """Write `source` to `target` by a recipe; blocks.

    Args:
        source: a model that is here.
        target: where the copy goes.
        recipe: one of `recipe.RECIPES`.
        rules: by hand, before the recipe.
        on_written: told how far it is.
        force: write over a file that is there, and from one coarse format to another.

    Raises:
        UsageError: the target cannot be that, it is there already, the source would be harmed, or a rule is wrong.
        ModelLoadError: the source cannot be read, or the target not written.
    """
    _check_target(source.path, target, force=force)
    header = read_header(source.path)
    plan = make_plan(header, recipe, rules, fast_int4())
    may_repack = source.manifest is not None and source.manifest.repack
    if plan.harmed and not (force or may_repack):
        name = plan.harmed[0]
        raise UsageError(
            f"{source.path} is in {plan.source_names} already: {name} would go from {header.tensors[name].kind.name} "
            f"to {plan.types[name].name} and lose quality twice; take a source with 8 or 16 bits, or add --force"
        )
    write_types(source.path, target, plan.types, on_written)
    written = read_header(target)
    types: dict[str, int] = {}
    for tensor in written.tensors.values():
        types[tensor.kind.name] = types.get(tensor.kind.name, 0) + tensor.n_bytes
    return Quantised(plan, types, source.path.stat().st_size, target.stat().st_size)


def _check_target(source: Path, target: Path, *, force: bool) -> None:
    if target.suffix != _SUFFIX:
        raise UsageError(f"{target}: name the copy with {_SUFFIX} at its end, as it is found by that")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise UsageError(f"{target} is a folder; give the path of a file")
    if target.exists() and target.samefile(source):
        raise UsageError(f"{target} is the source itself; give another path")
    if target.exists() and not force:
        raise UsageError(f"{target} is there already; write over it with --force")

"""Which number format each tensor of a model shall have, and whether the source can stand that. Pure.

Attention is more easily harmed than the feed-forward part and much smaller, the output head and the embedding decide
every token: so `mixed` takes 8 bits for the first, 4 for the second and leaves the last two alone.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from codeassistd.engine.llama.header import Header, Tensor
from codeassistd.errors import UsageError

__all__ = ["RECIPES", "Rule", "TensorPlan", "make_plan", "parse_rule"]

RECIPES = ("mixed", "none")
"""`mixed`, and nothing but the rules that are given by hand."""

_Kind = GGMLQuantizationType

_TYPES = {
    kind.name.lower(): kind
    for kind in (
        _Kind.F16,
        _Kind.BF16,
        _Kind.Q8_0,
        _Kind.Q6_K,
        _Kind.Q5_K,
        _Kind.Q5_1,
        _Kind.Q5_0,
        _Kind.Q4_K,
        _Kind.Q4_1,
        _Kind.Q4_0,
        _Kind.Q3_K,
        _Kind.Q2_K,
    )
}
"""What can be written; formats that need statistics of the model's activations are left out."""

_ATTENTION = re.compile(r"^blk\.\d+\.attn_(?!norm|.*norm).*\.weight$")
_FEED_FORWARD = re.compile(r"^blk\.\d+\.ffn_(?!norm|.*norm|gate_inp).*\.weight$")

_COARSE_BITS = 6.0
"""A tensor with fewer bits a number has lost so much that another format as coarse would lose it again elsewhere."""
_FINE_BITS = 8.0
"""A format with as many bits loses next to nothing of any other quantised one."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Tensors whose name the pattern is found in get this format.

    Attributes:
        asked: as the user wrote it, for errors.
    """

    pattern: re.Pattern[str]
    kind: GGMLQuantizationType
    asked: str


@dataclass(frozen=True, slots=True)
class TensorPlan:
    """What is to be written.

    Attributes:
        types: the tensors that get another format, by name.
        source_types: how many bytes of the source's weights have which format.
        harmed: tensors that are coarse and would be written in another coarse format.
        left: tensors that the recipe is for and that stay as they are, since no such format fits their rows.
    """

    types: Mapping[str, GGMLQuantizationType]
    source_types: Mapping[str, int]
    harmed: Sequence[str]
    left: Sequence[str]

    @property
    def source_names(self) -> str:
        """The source's formats, the most of it first."""
        return ", ".join(sorted(self.source_types, key=lambda name: -self.source_types[name]))


def parse_rule(text: str) -> Rule:
    """Read `PATTERN=TYPE`.

    Raises:
        UsageError: it is not of that form, the pattern is none, or the type is not known.
    """
    pattern, equals, name = text.rpartition("=")
    if not equals or not pattern:
        raise UsageError(f"--tensor {text}: write it as PATTERN=TYPE, for example --tensor attn_v=q8_0")
    kind = _TYPES.get(name.strip().lower())
    if kind is None:
        near = difflib.get_close_matches(name.strip().lower(), _TYPES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(_TYPES)}"
        raise UsageError(f"--tensor {text}: there is no type {name.strip()}; {hint}")
    try:
        return Rule(re.compile(pattern), kind, text)
    except re.error as error:
        raise UsageError(f"--tensor {text}: {pattern} is not a regular expression: {error}") from error


def make_plan(header: Header, recipe: str, rules: Sequence[Rule], int4: Sequence[GGMLQuantizationType]) -> TensorPlan:
    """Choose the formats.

    Args:
        header: of the source.
        recipe: one of `RECIPES`.
        rules: go before the recipe; the first that fits a tensor counts.
        int4: 4-bit formats, the best one first.

    Raises:
        UsageError: a rule fits no tensor, or its format does not fit one of them; or nothing would change.
    """
    types: dict[str, GGMLQuantizationType] = {}
    left: list[str] = []
    weights = {name: tensor for name, tensor in header.tensors.items() if len(tensor.shape) > 1}
    _check_rules(rules, weights)
    for name, tensor in weights.items():
        rule = next((rule for rule in rules if rule.pattern.search(name)), None)
        wanted = (rule.kind,) if rule is not None else _by_recipe(recipe, name, int4)
        kind = next((kind for kind in wanted if _fits(tensor, kind)), None)
        if rule is not None and kind is None:
            rows = f"rows of {name} have {tensor.shape[0]} numbers"
            raise UsageError(f"--tensor {rule.asked}: {rows}, which {rule.kind.name} cannot hold")
        if wanted and kind is None:
            left.append(name)
        elif kind is not None and kind != tensor.kind:
            types[name] = kind
    if not types:
        raise UsageError("nothing would change: all tensors that are meant have these types already")
    harmed = [name for name, kind in types.items() if _harms(weights[name].kind, kind)]
    return TensorPlan(types, _source_types(weights), harmed, left)


def _by_recipe(recipe: str, name: str, int4: Sequence[GGMLQuantizationType]) -> tuple[GGMLQuantizationType, ...]:
    if recipe != "mixed":
        return ()
    if _ATTENTION.match(name):
        return (_Kind.Q8_0,)
    return tuple(int4) if _FEED_FORWARD.match(name) else ()


def _check_rules(rules: Sequence[Rule], weights: Mapping[str, Tensor]) -> None:
    for rule in rules:
        if not any(rule.pattern.search(name) for name in weights):
            some = ", ".join(sorted({re.sub(r"^blk\.\d+\.", "blk.N.", name) for name in weights})[:8])
            raise UsageError(f"--tensor {rule.asked}: no weights of this model have such a name; there are {some} ...")


def _fits(tensor: Tensor, kind: GGMLQuantizationType) -> bool:
    n_per_block, _ = GGML_QUANT_SIZES[kind]
    return tensor.shape[0] % n_per_block == 0


def _harms(source: GGMLQuantizationType, target: GGMLQuantizationType) -> bool:
    return _bits(source) < _COARSE_BITS and _bits(target) < _FINE_BITS


def _bits(kind: GGMLQuantizationType) -> float:
    n_per_block, n_block_bytes = GGML_QUANT_SIZES[kind]
    return 8 * n_block_bytes / n_per_block


def _source_types(weights: Mapping[str, Tensor]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for tensor in weights.values():
        sums[tensor.kind.name] = sums.get(tensor.kind.name, 0) + tensor.n_bytes
    return sums

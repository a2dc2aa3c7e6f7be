"""Which tensors get which number format, and what is refused."""

from __future__ import annotations

import math

import pytest
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from codeassistd.engine.llama.header import Header, Tensor
from codeassistd.errors import UsageError
from codeassistd.tuning.recipe import make_plan, parse_rule

K = GGMLQuantizationType
INT4 = (K.Q4_K, K.Q4_0)


def tensor(name: str, kind: GGMLQuantizationType = K.F16, shape: tuple[int, ...] = (256, 64)) -> Tensor:
    n_per_block, n_bytes = GGML_QUANT_SIZES[kind]
    return Tensor(name, kind, shape, 0, math.prod(shape) // n_per_block * n_bytes)


def header(*tensors: Tensor) -> Header:
    return Header({}, 0, 0, tensors={one.name: one for one in tensors})


LAYER = (
    tensor("token_embd.weight"),
    tensor("output.weight"),
    tensor("blk.0.attn_norm.weight", K.F32, (256,)),
    tensor("blk.0.attn_q.weight"),
    tensor("blk.0.attn_q_norm.weight", K.F32, (64,)),
    tensor("blk.0.attn_output.weight"),
    tensor("blk.0.ffn_gate.weight"),
    tensor("blk.0.ffn_down.weight", shape=(96, 64)),
    tensor("blk.0.ffn_down_exps.weight", shape=(256, 64, 4)),
    tensor("blk.0.ffn_gate_inp.weight", K.F32, (256, 4)),
)


def test_mixed_takes_8_bits_for_attention_and_4_for_the_rest_of_a_layer() -> None:
    """Rows that are no multiple of 256 take the other 4-bit format; head, embeddings, norms and routers stay."""
    plan = make_plan(header(*LAYER), "mixed", (), INT4)
    assert {
        "blk.0.attn_q.weight": K.Q8_0,
        "blk.0.attn_output.weight": K.Q8_0,
        "blk.0.ffn_gate.weight": K.Q4_K,
        "blk.0.ffn_down.weight": K.Q4_0,
        "blk.0.ffn_down_exps.weight": K.Q4_K,
    } == plan.types
    assert ([], []) == (plan.harmed, plan.left)


def test_what_fits_no_row_is_left_and_told() -> None:
    """A row of 80 numbers is no whole number of blocks of 32."""
    plan = make_plan(header(*LAYER, tensor("blk.1.ffn_up.weight", shape=(80, 4))), "mixed", (), INT4)
    assert ["blk.1.ffn_up.weight"] == plan.left


def test_rules_go_before_the_recipe_and_reach_everything() -> None:
    """The first that fits counts, also for the head."""
    rules = [parse_rule("ffn_down=q6_K"), parse_rule("^output=q8_0"), parse_rule("ffn=q8_0")]
    plan = make_plan(header(*LAYER[:7], LAYER[8]), "mixed", rules, INT4)
    assert (K.Q6_K, K.Q8_0, K.Q8_0) == tuple(
        plan.types[name] for name in ("blk.0.ffn_down_exps.weight", "output.weight", "blk.0.ffn_gate.weight")
    )
    assert ["output.weight"] == list(make_plan(header(*LAYER), "none", rules[1:2], INT4).types)


@pytest.mark.parametrize(
    ("source", "target", "is_harm"),
    [
        (K.F16, "q4_0", False),
        (K.Q8_0, "q4_0", False),
        (K.Q6_K, "q4_0", False),
        (K.Q4_1, "q8_0", False),
        (K.Q4_1, "q4_0", True),
        (K.Q5_K, "q4_K", True),
        (K.Q4_0, "q6_K", True),
    ],
)
def test_from_one_coarse_format_to_another_is_harm(source: GGMLQuantizationType, target: str, is_harm: bool) -> None:  # noqa: FBT001 - a case
    """Of what was lost nothing comes back; 8 bits keep all of it, others lose again."""
    plan = make_plan(header(tensor("blk.0.ffn_up.weight", source)), "none", [parse_rule(f"ffn={target}")], INT4)
    assert is_harm == bool(plan.harmed)


def test_the_source_is_named_by_what_most_of_it_is() -> None:
    """Without the vectors, which are always whole numbers."""
    plan = make_plan(header(*LAYER, tensor("blk.1.ffn_up.weight", K.Q4_1)), "mixed", (), INT4)
    assert "F16, Q4_1, F32" == plan.source_names


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("attn_v", "write it as PATTERN=TYPE"),
        ("=q8_0", "write it as PATTERN=TYPE"),
        ("attn=q4_00", "there is no type q4_00; did you mean q4_0?"),
        ("attn=iq2_xxs", "there is no type iq2_xxs; "),
        ("attn[=q8_0", "is not a regular expression"),
    ],
)
def test_a_wrong_rule_is_one_line(rule: str, message: str) -> None:
    """It quotes the rule and says what is wrong."""
    with pytest.raises(UsageError) as raised:
        parse_rule(rule)
    assert message in str(raised.value)
    assert f"--tensor {rule}" in str(raised.value)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("attention=q8_0", "no weights of this model have such a name; there are blk.N.attn_output.weight"),
        ("ffn_down=q4_k", "rows of blk.0.ffn_down.weight have 96 numbers, which Q4_K cannot hold"),
        ("attn_q=f16", "nothing would change"),
    ],
)
def test_a_rule_that_fits_nothing_is_one_line(rule: str, message: str) -> None:
    """Nothing is written by a typing error."""
    with pytest.raises(UsageError) as raised:
        make_plan(header(*LAYER), "none", [parse_rule(rule)], INT4)
    assert message in str(raised.value)

"""Model files of a few hundred kilobytes that llama.cpp really loads: random weights, a real tokenizer, real markers.

For tests of everything that depends on a model's file and vocabulary and not on what it has learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

__all__ = [
    "CODESTRAL",
    "DEEPSEEK",
    "QWEN",
    "STARCODER",
    "TinyModel",
    "write_tiny_lora",
    "write_tiny_mamba",
    "write_tiny_model",
]

QWEN = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|repo_name|>", "<|file_sep|>")
STARCODER = ("<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<repo_name>", "<file_sep>")
DEEPSEEK = ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>")  # noqa: RUF001 - its own bars
CODESTRAL = ("[PREFIX]", "[SUFFIX]")

_END = "<|endoftext|>"
_BEGIN = "<s>"
_N_BYTES = 256
#: Pairs that become one token, so that texts are not letters only; written as two tokens and a blank.
_MERGES = ("d e", "de f", "r e", "re t")
_WIDTH = 32
_N_HEADS = 2
_N_LAYERS = 1
_N_FORWARD = 64
_LORA_RANK = 4
# Of the recurrent model.
_N_INNER = 64
_N_STATE = 8
_N_CONV = 4
_N_RANK = 4


@dataclass(frozen=True, slots=True)
class TinyModel:
    """What to write.

    Ids: 0 to 255 are bytes, then the end token, the begin token, the merged tokens, and the markers in their order.

    Attributes:
        markers: control tokens of the vocabulary.
        declared: markers that the metadata names too, by part: prefix, suffix, middle, pad, repo, sep.
        bos: prompts must begin with the begin token.
        n_ctx: the context length that the file claims.
        seed: of the weights.
        n_layers: of the llama architecture.
    """

    markers: Sequence[str] = ()
    declared: Mapping[str, str] | None = None
    bos: bool = False
    n_ctx: int = 512
    seed: int = 0
    n_layers: int = _N_LAYERS

    def tokens(self) -> list[str]:
        """The vocabulary, in the order of the ids."""
        letters = _byte_letters()
        merged = [pair.replace(" ", "") for pair in _MERGES]
        return [*letters, _END, _BEGIN, *merged, *self.markers]

    def id_of(self, token: str) -> int:
        """The id of a token by its spelling."""
        return self.tokens().index(token)

    @property
    def bos_id(self) -> int:
        """The begin token's id, whether or not prompts begin with it."""
        return _N_BYTES + 1


def write_tiny_model(path: Path, model: TinyModel | None = None) -> Path:
    """Write a GGUF file of the llama architecture and answer its path."""
    model = model or TinyModel()
    writer = GGUFWriter(path, "llama")
    _add_shape(writer, model)
    _add_tokenizer(writer, model)
    _add_weights(writer, len(model.tokens()), model)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_tiny_mamba(path: Path, model: TinyModel | None = None) -> Path:
    """Write a GGUF file of the mamba architecture, whose memory cannot be cut, and answer its path."""
    model = model or TinyModel()
    writer = GGUFWriter(path, "mamba")
    writer.add_name("tiny-mamba")
    writer.add_context_length(model.n_ctx)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_N_LAYERS)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_ssm_conv_kernel(_N_CONV)
    writer.add_ssm_inner_size(_N_INNER)
    writer.add_ssm_state_size(_N_STATE)
    writer.add_ssm_time_step_rank(_N_RANK)
    _add_tokenizer(writer, model)
    _add_recurrent_weights(writer, len(model.tokens()), model.seed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_tiny_lora(path: Path, *, architecture: str = "llama", width: int = _WIDTH, seed: int = 0) -> Path:
    """Write a LoRA adapter for the first layer of a tiny model, strong enough to change its answers."""
    random = np.random.default_rng(seed)
    writer = GGUFWriter(path, architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 2.0 * _LORA_RANK)
    for name in ("attn_q", "attn_v", "ffn_down"):
        n_in = _N_FORWARD if name == "ffn_down" else width
        tensors = {"lora_a": (_LORA_RANK, n_in), "lora_b": (width, _LORA_RANK)}
        for part, shape in tensors.items():
            weights = random.normal(0.0, 0.5, shape).astype(np.float32)
            writer.add_tensor(f"blk.0.{name}.weight.{part}", weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_shape(writer: GGUFWriter, model: TinyModel) -> None:
    writer.add_name("tiny")
    writer.add_context_length(model.n_ctx)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(model.n_layers)
    writer.add_feed_forward_length(_N_FORWARD)
    writer.add_head_count(_N_HEADS)
    writer.add_head_count_kv(_N_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _N_HEADS)


def _add_tokenizer(writer: GGUFWriter, model: TinyModel) -> None:
    tokens = model.tokens()
    first_marker = len(tokens) - len(model.markers)
    special = {_N_BYTES, _N_BYTES + 1, *range(first_marker, len(tokens))}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(
        [TokenType.CONTROL if index in special else TokenType.NORMAL for index in range(len(tokens))]
    )
    writer.add_token_merges(list(_MERGES))
    writer.add_eos_token_id(_N_BYTES)
    writer.add_bos_token_id(model.bos_id)
    writer.add_add_bos_token(model.bos)
    names = {"prefix": "pre", "suffix": "suf", "middle": "mid", "pad": "pad", "repo": "rep", "sep": "sep"}
    for part, marker in (model.declared or {}).items():
        writer.add_uint32(f"tokenizer.ggml.fim_{names[part]}_token_id", model.id_of(marker))


def _add_weights(writer: GGUFWriter, n_vocab: int, model: TinyModel) -> None:
    random = np.random.default_rng(model.seed)
    square, up, down = (_WIDTH, _WIDTH), (_N_FORWARD, _WIDTH), (_WIDTH, _N_FORWARD)
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (n_vocab, _WIDTH), "output.weight": (n_vocab, _WIDTH)}
    for layer in range(model.n_layers):
        block = {"attn_q": square, "attn_k": square, "attn_v": square, "attn_output": square}
        block |= {"ffn_gate": up, "ffn_up": up, "ffn_down": down}
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in block.items()}
    for name, shape in shapes.items():
        writer.add_tensor(name, random.normal(0.0, 0.2, shape).astype(np.float32))
    norms = [
        "output_norm",
        *(f"blk.{layer}.{part}_norm" for layer in range(model.n_layers) for part in ("attn", "ffn")),
    ]
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(_WIDTH, np.float32))


def _add_recurrent_weights(writer: GGUFWriter, n_vocab: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (n_vocab, _WIDTH), "output.weight": (n_vocab, _WIDTH)}
    writer.add_tensor("output_norm.weight", np.ones(_WIDTH, np.float32))
    for layer in range(_N_LAYERS):
        block: dict[str, tuple[int, ...]] = {
            "ssm_in.weight": (2 * _N_INNER, _WIDTH),
            "ssm_conv1d.weight": (_N_INNER, _N_CONV),
            "ssm_conv1d.bias": (_N_INNER,),
            "ssm_x.weight": (_N_RANK + 2 * _N_STATE, _N_INNER),
            "ssm_dt.weight": (_N_INNER, _N_RANK),
            "ssm_dt.bias": (_N_INNER,),
            "ssm_d": (_N_INNER,),
            "ssm_out.weight": (_WIDTH, _N_INNER),
        }
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in block.items()}
        writer.add_tensor(f"blk.{layer}.attn_norm.weight", np.ones(_WIDTH, np.float32))
        # Negative: what was read long ago fades.
        decay = -random.uniform(0.1, 1.0, (_N_INNER, _N_STATE)).astype(np.float32)
        writer.add_tensor(f"blk.{layer}.ssm_a", decay)
    for name, shape in shapes.items():
        writer.add_tensor(name, random.normal(0.0, 0.2, shape).astype(np.float32))


def _byte_letters() -> list[str]:
    """The letters that GPT-2's tokenizers write bytes with: printable ones as they are, the others from U+0100 on."""
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    letters, others = [], 0
    for byte in range(_N_BYTES):
        if byte in printable:
            letters.append(chr(byte))
        else:
            letters.append(chr(_N_BYTES + others))
            others += 1
    return letters

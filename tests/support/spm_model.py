"""A tiny model with a SentencePiece tokenizer, which by itself puts a blank before every text."""

from __future__ import annotations

from pathlib import Path

from gguf import GGUFWriter, TokenType

from codeassistd.testing import tiny_models

__all__ = ["write_spm_model"]

_PIECES = {"▁": -1.0, "▁x": -2.0, "x": -3.0, "=": -3.0, "▁=": -2.5, "▁▁": -1.5, "▁▁▁▁": -1.2}


def write_spm_model(path: Path, *, markers: dict[str, TokenType] | None = None) -> Path:
    """Write it with byte tokens, a few pieces, and `markers` of the given types."""
    markers = markers or {}
    special = {"<unk>": TokenType.UNKNOWN, "<s>": TokenType.CONTROL, "</s>": TokenType.CONTROL}
    tokens = [*special, *(f"<0x{byte:02X}>" for byte in range(256)), *_PIECES, *markers]
    types = [*special.values(), *[TokenType.BYTE] * 256, *[TokenType.NORMAL] * len(_PIECES), *markers.values()]
    writer = GGUFWriter(path, "llama")
    tiny_models._add_shape(writer, tiny_models.TinyModel())
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([_PIECES.get(token, 0.0) for token in tokens])
    writer.add_token_types(types)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_space_prefix(True)  # noqa: FBT003 - gguf's signature
    tiny_models._add_weights(writer, len(tokens), tiny_models.TinyModel())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path

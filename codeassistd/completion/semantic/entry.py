"""What is kept under one key: a few answers with the vectors of where they stood, and their form on disk.

On disk an entry is a checksum over its key and its content, then JSON: `{"answers": [{"tokens": [...], "vector":
"base64"}, ...]}`. Reading it runs nothing, and what is not exactly so is refused.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

__all__ = ["MAX_ANSWERS", "KeptAnswer", "OddEntryError", "pack", "unpack", "with_answer"]

MAX_ANSWERS = 8
"""Of one key, the newest first."""

_SUM_BYTES = 16
_MAX_TOKENS = 4096


class OddEntryError(Exception):
    """An entry is not what was written."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One answer.

    Attributes:
        tokens: ids of the whole of it.
        vector: of the scene that it stood in, a signed byte for each dimension.
    """

    tokens: tuple[int, ...]
    vector: bytes


def with_answer(answers: Sequence[KeptAnswer], new: KeptAnswer) -> tuple[KeptAnswer, ...]:
    """`answers` with a new one in front, in place of one of the same text in the same scene."""
    others = (old for old in answers if old != new)
    return (new, *others)[:MAX_ANSWERS]


def pack(key: bytes, answers: Sequence[KeptAnswer]) -> bytes:
    """The form on disk."""
    table = [{"tokens": answer.tokens, "vector": b64encode(answer.vector).decode()} for answer in answers]
    content = json.dumps({"answers": table}, separators=(",", ":")).encode()
    return _sum(key, content) + content


def unpack(key: bytes, data: bytes) -> tuple[KeptAnswer, ...]:
    """What `pack` was given.

    Raises:
        OddEntryError: it is another key's, or damaged.
    """
    content = data[_SUM_BYTES:]
    if data[:_SUM_BYTES] != _sum(key, content):
        raise OddEntryError("its checksum is wrong")
    try:
        table = json.loads(content)["answers"]
        answers = tuple(KeptAnswer(tuple(row["tokens"]), b64decode(row["vector"], validate=True)) for row in table)
    except (ValueError, TypeError, KeyError) as error:
        raise OddEntryError(f"it cannot be read ({type(error).__name__})") from None
    if not answers or not all(_is_plausible(answer.tokens) for answer in answers):
        raise OddEntryError("its tokens make no sense")
    return answers


def _is_plausible(tokens: Sequence[object]) -> bool:
    return 0 < len(tokens) <= _MAX_TOKENS and all(type(token) is int and token >= 0 for token in tokens)


def _sum(key: bytes, content: bytes) -> bytes:
    return blake2b(content, key=key, digest_size=_SUM_BYTES).digest()

"""The ways that one model is run in: its reference in 16-bit floats, and others with other number formats."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config import KvType, ModelSettings
from codeassistd.daemon.model_files import prepare_model
from codeassistd.paths import Paths, make_private_dir

__all__ = ["AS_SET", "REFERENCE", "Ladder", "Reference", "Way", "ways_of"]

REFERENCE = "reference"
AS_SET = "as set"


class Reference(StrEnum):
    """What weights the reference has."""

    F16 = "f16"
    """A copy in 16-bit floats, made for the run: the same values as published, without quantised arithmetic."""
    PUBLISHED = "published"
    """As published, where there is no room for such a copy."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of running the model."""

    name: str
    settings: ModelSettings


@dataclass(frozen=True, slots=True)
class Ladder:
    """Which ways to try beside the one that is set.

    Attributes:
        weights: number formats of the weights, each with a cache in 16-bit floats.
        caches: number formats of keys and values, each with the reference's weights.
    """

    reference: Reference
    weights: Sequence[str]
    caches: Sequence[KvType]


@contextlib.contextmanager
def ways_of(paths: Paths, settings: ModelSettings, ladder: Ladder) -> Iterator[list[Way]]:
    """The reference, the way that is set, and the ladder; copies of the model live as long as the context.

    Raises:
        ModelError: the model cannot be had, or a copy not be written.
    """
    published = prepare_model(Catalogue(paths), settings.model_copy(update={"repack": False})).path
    plain = settings.model_copy(update={"repack": False, "kv_type_k": "f16", "kv_type_v": "f16", "lora": ()})
    make_private_dir(paths.cache_dir)
    with tempfile.TemporaryDirectory(prefix="eval-", dir=paths.cache_dir) as folder:
        base = published if ladder.reference is Reference.PUBLISHED else _copy(published, Path(folder), "f16")
        yield [
            Way(REFERENCE, plain.model_copy(update={"name": str(base)})),
            Way(AS_SET, settings),
            *(
                Way(f"weights {kind}", plain.model_copy(update={"name": str(_copy(published, Path(folder), kind))}))
                for kind in ladder.weights
            ),
            *(
                Way(
                    f"cache {kind}",
                    plain.model_copy(update={"name": str(base), "kv_type_k": kind, "kv_type_v": kind}),
                )
                for kind in ladder.caches
            ),
        ]


def _copy(source: Path, folder: Path, kind: str) -> Path:
    # Here, since a help page must not load the native library.
    from codeassistd.engine.llama.quantise import FileType, requantise  # noqa: PLC0415 - see above

    target = folder / f"{kind}.gguf"
    requantise(source, target, FileType[kind.upper()])
    return target

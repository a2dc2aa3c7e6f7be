"""Small models beside a `ChanceBackend` that say what it will say, always, never or now and then."""

from __future__ import annotations

import zlib

from codeassistd.engine.backend import Logits
from tests.support.chance_backend import ChanceBackend

__all__ = ["DRAFT_MODELS", "draft_model"]


class _WrongBackend(ChanceBackend):
    """Says the next letter of the alphabet instead."""

    def scores(self, cells: list[int], n_sure: int) -> Logits:
        """The scores of the main model, each of them one token too far."""
        return _shifted(super().scores(cells, n_sure))


class _MixedBackend(ChanceBackend):
    """Right behind two thirds of all texts."""

    def scores(self, cells: list[int], n_sure: int) -> Logits:
        """The scores of the main model, or the wrong ones."""
        row = super().scores(cells, n_sure)
        return row if zlib.crc32(repr(cells[::-1]).encode()) % 3 else _shifted(row)


def _shifted(row: Logits) -> Logits:
    shifted = row.copy()
    shifted[1:] = row[:-1]
    return shifted


DRAFT_MODELS = {"right": ChanceBackend, "wrong": _WrongBackend, "mixed": _MixedBackend}


def draft_model(kind: str, main: ChanceBackend, *, n_ctx: int = 0, n_batch: int = 0) -> ChanceBackend:
    """A draft model of one of the kinds in `DRAFT_MODELS`, loaded, with as many slots as `main`."""
    backend = DRAFT_MODELS[kind](n_ctx=n_ctx or main.n_ctx, n_batch=n_batch or main.n_batch, n_slots=main.n_slots)
    backend.load(lambda _share: True)
    return backend

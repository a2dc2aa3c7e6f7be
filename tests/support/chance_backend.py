"""A model whose every score depends on every token in its cache, and what it must write, computed without an engine."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from codeassistd.engine.backend import Logits
from codeassistd.engine.request import FinishReason, GenerateRequest
from codeassistd.engine.sampling import Sampler
from codeassistd.engine.sequence import Sequence
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_sampler import FakeSampler

__all__ = ["ChanceBackend", "Written", "written"]

_LETTERS = "abcde"
_NEVER = -30.0
_SPREAD = 2.0
_END_LESS = 2.5
"""How much less the end is likely than a letter: answers have some twenty tokens."""


class ChanceBackend(FakeBackend):
    """Scores are drawn at random, seeded by a checksum of the cache: one wrong cell changes what is written."""

    def scores(self, cells: list[int], n_sure: int) -> Logits:
        """The scores after `cells`, right or wrong."""
        del n_sure  # this one cannot be fooled
        letters = self.vocabulary.answer_ids(_LETTERS)
        drawn = np.random.default_rng(zlib.crc32(repr(cells).encode())).normal(0.0, _SPREAD, len(letters) + 1)
        row = np.full(self.vocabulary.n_vocab, _NEVER, dtype=np.float32)
        row[letters] = drawn[1:]
        row[self.vocabulary.eos_id] = drawn[0] - _END_LESS
        return row


@dataclass(frozen=True, slots=True)
class Written:
    """The output of a request."""

    ids: tuple[int, ...]
    reason: FinishReason


def written(backend: ChanceBackend, request: GenerateRequest) -> Written:
    """What a request must be answered with: one token after the other, each from all before it."""
    params = request.params
    sampler = Sampler(backend.vocabulary.n_vocab)
    chooser = None if params.is_plain else FakeSampler(backend.vocabulary, params)
    draws = Sequence(request).draws
    tokens = list(request.prompt)
    n_most = min(params.max_tokens, backend.n_ctx - len(tokens))
    for _ in range(n_most):
        row = backend.scores(tokens, len(tokens))[...]
        chosen = chooser.choose(row) if chooser else sampler.choose(row, params.temperature, draws).id
        if chosen is None or chosen in request.stop_ids or backend.vocabulary.is_stop(chosen):
            return Written(tuple(tokens[len(request.prompt) :]), FinishReason.STOP)
        tokens.append(chosen)
    return Written(tuple(tokens[len(request.prompt) :]), FinishReason.LENGTH)

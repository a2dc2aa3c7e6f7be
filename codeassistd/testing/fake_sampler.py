"""The fake backend's sampler: it knows grammars of one kind, and leaves the rest of the parameters alone."""

from __future__ import annotations

import re

import numpy as np

from codeassistd.engine.backend import Logits
from codeassistd.engine.request import SamplingParams
from codeassistd.errors import EngineError
from codeassistd.testing.fake_vocabulary import FakeVocabulary

__all__ = ["FakeSampler"]

_GRAMMAR = re.compile(r"root ::= \[([^\]]*)\]\*")


class FakeSampler:
    """The best token of those that the grammar allows: `root ::= [abc]*` allows answers of these letters.

    Attributes:
        chosen: all its tokens.
        n_closed: how often it was closed.
    """

    def __init__(self, vocabulary: FakeVocabulary, params: SamplingParams) -> None:
        found = _GRAMMAR.fullmatch(params.grammar) if params.grammar else None
        if params.grammar and found is None:
            raise EngineError("the grammar cannot be read; the fake backend knows root ::= [abc]*")
        everything = range(vocabulary.n_vocab)
        self._allowed = everything if found is None else [vocabulary.eos_id, *vocabulary.answer_ids(found[1])]
        self.chosen: list[int] = []
        self.n_closed = 0

    def choose(self, row: Logits) -> int | None:
        """The best allowed token; None where no allowed one can follow."""
        token = max(self._allowed, key=lambda allowed: float(row[allowed]))
        if not np.isfinite(row[token]):
            return None
        self.chosen.append(token)
        return token

    def close(self) -> None:
        """Count it."""
        self.n_closed += 1

"""What a model makes of a text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from codeassistd.engine.backend import Batch, Logits
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.long.probe import Kind, Probe
from codeassistd.evals.long.trace import read_trace
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.testing.fake_vocabulary import FakeVocabulary


class Table(FakeBackend):
    """Scores by a table from one token to the next, 2 for the best and 1 for the second; the last letter repeats."""

    def __init__(self, table: Mapping[str, str], vocabulary: FakeVocabulary | None = None) -> None:
        super().__init__(FakeScript(), vocabulary=vocabulary or FakeVocabulary())
        self.table = {ord(key): [ord(letter) for letter in letters] for key, letters in table.items()}
        self.read: list[tuple[int, int]] = []

    def remove(self, sequence: int, start: int) -> int:
        del sequence
        return start

    def decode(self, batch: Batch) -> Logits | None:
        self.read += zip(batch.positions, batch.tokens, strict=True)
        wanted = [token for token, is_wanted in zip(batch.tokens, batch.wanted, strict=True) if is_wanted]
        scores = np.zeros((len(wanted), self.info.n_vocab), dtype=np.float32)
        for row, token in zip(scores, wanted, strict=True):
            for rank, letter in enumerate(self.table.get(token, [token])):
                row[letter] = 2.0 - rank
        return scores


GIVEN = "abcdefghijklmnop"
OPEN = Probe(Kind.LONG, "open", GIVEN, "\nab", is_settled=False)


def test_a_text_is_judged_token_by_token() -> None:
    """All before each token is the text's own; the first sixteen tokens are not judged."""
    backend = Table({"p": "\nx", "\n": "xa", "a": "bx"})
    trace = read_trace(Reader(backend), OPEN)
    rest = math.e**2 + math.e + backend.info.n_vocab - 2

    assert tuple(map(ord, "\nxb")) == trace.best
    assert pytest.approx((1.0, 1.0, 1.0)) == trace.gaps
    assert pytest.approx([math.log(rest) - 2, math.log(rest) - 1, math.log(rest) - 2], rel=1e-5) == list(trace.nll)


def test_a_model_writes_behind_what_is_given() -> None:
    """Each token behind its own, not behind the truth: 64 where the truth is open."""
    trace = read_trace(Reader(Table({"p": "\n", "\n": "x", "x": "y", "y": "x"})), OPEN)

    assert "\n" + "xy" * 31 + "x" == trace.said
    assert 64 == len(trace.written)


def test_a_settled_truth_is_written_little_beyond() -> None:
    """Eight tokens, in case it is cut into tokens otherwise."""
    settled = Probe(Kind.BRACKETS, "settled", GIVEN, "\nab", is_settled=True)

    assert 3 + 8 == len(read_trace(Reader(Table({"p": "\n", "\n": "x"})), settled).written)


def test_a_model_that_wants_a_first_token_gets_it() -> None:
    """In front of both readings."""
    vocabulary = FakeVocabulary(bos="<pad>")
    backend = Table({}, vocabulary)
    read_trace(Reader(backend), OPEN)

    assert (0, vocabulary.bos_id) == backend.read[0]
    assert (1, ord("a")) == backend.read[1]

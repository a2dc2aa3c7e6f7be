"""What one model makes of one text: its choice at every token, and what it writes by itself.

Plain numbers, so that two models need not be in memory at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codeassistd.evals.context.reader import Reader, Scores, nll_of
from codeassistd.evals.long.probe import Probe

__all__ = ["Trace", "read_trace"]

_FIRST = 16
"""Tokens of a text that are read before the model is judged: at the start nothing can be known."""
_N_WRITTEN = 64
"""Tokens that are written where the truth is open."""
_N_SPARE = 8
"""Tokens that are written beyond a truth that is settled, which may be cut into tokens otherwise."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One model, one text.

    Attributes:
        best: the model's choice at each judged token, all before it being the text's own.
        gaps: how far the second best is behind it, in logits.
        nll: negative log-likelihood of each of the text's tokens, in nats.
        written: tokens that it writes behind what is given, each behind its own.
        said: their text.
    """

    best: tuple[int, ...]
    gaps: tuple[float, ...]
    nll: tuple[float, ...]
    written: tuple[int, ...]
    said: str


def read_trace(reader: Reader, probe: Probe) -> Trace:
    """Have a model read a text as it is, and then write from where it is cut.

    Raises:
        DecodeError: a step failed, such as for a text that is longer than the context.
    """
    vocabulary = reader.vocabulary
    start = [] if vocabulary.bos_id is None else [vocabulary.bos_id]
    given, truth = [*start, *vocabulary.tokenize(probe.given)], vocabulary.tokenize(probe.truth)
    whole = [*given, *truth]
    first = min(_FIRST, len(given))
    rows = [_judged(row, token) for row, token in zip(reader.scores(whole[:-1], first - 1), whole[first:], strict=True)]
    n_written = len(truth) + _N_SPARE if probe.is_settled else _N_WRITTEN
    written = tuple(reader.written(given, n_written))
    return Trace(
        best=tuple(best for best, _, _ in rows),
        gaps=tuple(gap for _, gap, _ in rows),
        nll=tuple(nll for _, _, nll in rows),
        written=written,
        said=b"".join(map(vocabulary.token_bytes, written)).decode("utf-8", "replace"),
    )


def _judged(row: Scores, token: int) -> tuple[int, float, float]:
    best = int(row.argmax())
    second, top = np.partition(row, -2)[-2:]
    return best, float(top - second), nll_of(row, token)

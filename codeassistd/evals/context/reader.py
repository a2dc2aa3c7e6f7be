"""A model that reads a prompt and is judged by what follows: how likely the true line is, and what it would write.

Drives the backend directly, one sequence alone: nothing is scheduled, and what a prompt shares with the one before is
not read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from codeassistd.engine.backend import Backend, BackendInfo, Batch, Vocabulary
from codeassistd.errors import DecodeError

__all__ = ["Reader", "Scores", "nll_of"]

Scores = npt.NDArray[np.float32]
"""The scores of all tokens behind one token; valid until the next row is asked for."""

_SEQUENCE = 0
_MAX_SCORES = 2**25
"""Scores that one step may give, 128 MB of them: large vocabularies are read in shorter steps."""


class Reader:
    """Reads with one backend; blocking, for one thread."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._held: list[int] = []

    @property
    def vocabulary(self) -> Vocabulary:
        """Of the model that reads."""
        return self._backend.vocabulary

    @property
    def info(self) -> BackendInfo:
        """What was loaded."""
        return self._backend.info

    def nll(self, prompt: Sequence[int], truth: Sequence[int]) -> float:
        """Mean negative log-likelihood of the tokens `truth` behind `prompt`, in nats a token.

        Raises:
            DecodeError: a step failed.
            ValueError: there is no prompt or no truth.
        """
        if not prompt or not truth:
            raise ValueError("a likelihood needs a prompt and something behind it")
        rows = self.scores([*prompt, *truth[:-1]], len(prompt) - 1)
        return float(np.mean([nll_of(row, token) for row, token in zip(rows, truth, strict=True)]))

    def line(self, prompt: Sequence[int], n_tokens: int) -> str:
        """What the model writes behind `prompt` until the line ends: at most `n_tokens`, the likeliest each time.

        Raises:
            DecodeError: a step failed.
        """
        written = b""
        for token in self.written(prompt, n_tokens):
            written += self.vocabulary.token_bytes(token)
            if b"\n" in written.lstrip():
                break
        lines = written.decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else ""

    def written(self, prompt: Sequence[int], n_tokens: int) -> Iterator[int]:
        """The tokens that the model writes behind `prompt`, the likeliest each time: at most `n_tokens`, or its end.

        Raises:
            DecodeError: a step failed.
        """
        held = list(prompt)
        for _ in range(n_tokens):
            (token,) = [int(row.argmax()) for row in self.scores(held, len(held) - 1)]
            if self.vocabulary.is_stop(token):
                return
            yield token
            held.append(token)

    def scores(self, tokens: Sequence[int], first_wanted: int) -> Iterator[Scores]:
        """Read `tokens`, and give the scores behind each from the place `first_wanted` on.

        Raises:
            DecodeError: a step failed.
        """
        n_alike = next(
            (place for place, pair in enumerate(zip(self._held, tokens, strict=False)) if pair[0] != pair[1]),
            min(len(self._held), len(tokens)),
        )
        start = self._backend.remove(_SEQUENCE, min(n_alike, first_wanted))
        info = self._backend.info
        n_step = max(1, min(info.n_batch, _MAX_SCORES // info.n_vocab))
        while start < len(tokens):
            self._held = list(tokens[:start])
            end = min(start + n_step, len(tokens))
            wanted = [place >= first_wanted for place in range(start, end)]
            batch = Batch(tokens[start:end], list(range(start, end)), [_SEQUENCE] * (end - start), wanted)
            rows = self._backend.decode(batch)
            if rows is None:
                raise DecodeError("the model was interrupted while it was judged")
            self._held = list(tokens[:end])
            yield from rows
            start = end


def nll_of(row: Scores, token: int) -> float:
    """Negative log-likelihood of one token by its row of scores, in nats."""
    scores = row.astype(np.float64)
    top = scores.max()
    return float(top + np.log(np.exp(scores - top).sum()) - scores[token])

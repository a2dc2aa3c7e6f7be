"""A model that reads a prompt and is judged by what follows: how likely the true line is, and what it would write.

Drives the backend directly, one sequence alone: nothing is scheduled, and what a prompt shares with the one before is
not read again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from codeassistd.engine.backend import Backend, Batch
from codeassistd.errors import DecodeError

__all__ = ["Reader"]

_SEQUENCE = 0


class Reader:
    """Reads with one backend; blocking, for one thread."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._held: list[int] = []

    def nll(self, prompt: Sequence[int], truth: Sequence[int]) -> float:
        """Mean negative log-likelihood of the tokens `truth` behind `prompt`, in nats a token.

        Raises:
            DecodeError: a step failed.
            ValueError: there is no prompt or no truth.
        """
        if not prompt or not truth:
            raise ValueError("a likelihood needs a prompt and something behind it")
        rows = self._read([*prompt, *truth[:-1]], len(prompt) - 1)
        return float(np.mean([_nll_of(row, token) for row, token in zip(rows, truth, strict=True)]))

    def line(self, prompt: Sequence[int], n_tokens: int) -> str:
        """What the model writes behind `prompt` until the line ends: at most `n_tokens`, the likeliest each time.

        Raises:
            DecodeError: a step failed.
        """
        vocabulary = self._backend.vocabulary
        row = self._read(prompt, len(prompt) - 1)[-1]
        written = b""
        for _ in range(n_tokens):
            token = int(row.argmax())
            if vocabulary.is_stop(token):
                break
            written += vocabulary.token_bytes(token)
            if b"\n" in written.lstrip():
                break
            row = self._read([*self._held, token], len(self._held))[-1]
        lines = written.decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else ""

    def _read(self, tokens: Sequence[int], first_wanted: int) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
        """Have `tokens` in the cache; the scores behind each from `first_wanted` on."""
        n_alike = next(
            (place for place, pair in enumerate(zip(self._held, tokens, strict=False)) if pair[0] != pair[1]),
            min(len(self._held), len(tokens)),
        )
        start = self._backend.remove(_SEQUENCE, min(n_alike, first_wanted))
        self._held = list(tokens)
        rows = []
        while start < len(tokens):
            end = min(start + self._backend.info.n_batch, len(tokens))
            wanted = [place >= first_wanted for place in range(start, end)]
            batch = Batch(tokens[start:end], list(range(start, end)), [_SEQUENCE] * (end - start), wanted)
            scores = self._backend.decode(batch)
            if scores is None:
                raise DecodeError("the model was interrupted while it was judged")
            rows += [np.array(row) for row in scores]
            start = end
        return rows


def _nll_of(row: np.ndarray[tuple[int], np.dtype[np.float32]], token: int) -> float:
    scores = row.astype(np.float64)
    top = scores.max()
    return float(top + np.log(np.exp(scores - top).sum()) - scores[token])

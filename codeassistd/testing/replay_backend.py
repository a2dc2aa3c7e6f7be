"""A backend that says again what a model once said: the same tokens, as sure of each as the model was.

The rows of scores are made so that the engine's own arithmetic finds the recorded probability and distance to the
runner-up of each token; so whatever judges a text by them is judged too, without a model.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from codeassistd.engine.backend import Logits
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_vocabulary import MARKERS, FakeVocabulary

__all__ = ["JoiningVocabulary", "Recording", "ReplayBackend", "Said", "written_script"]

#: Two scores that differ by less would be a tie, which the smaller id wins.
_LEAST_MARGIN = 1e-3
#: Far enough below the rest to count for nothing.
_NOWHERE = -80.0
_SURE = (0.0, 20.0)
_N_BYTES = 256
_BLANK = ord(" ")
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


@dataclass(frozen=True, slots=True)
class Said:
    """One token: its text, the natural logarithm of its probability, and its distance in logits to the runner-up."""

    text: str
    logprob: float
    margin: float


@dataclass(frozen=True, slots=True)
class Recording:
    """What was said where a prompt ended in `before`; blanks at its end do not count."""

    before: str
    tokens: tuple[Said, ...]


class JoiningVocabulary(FakeVocabulary):
    """Puts a blank into the token of the word behind it, as the vocabularies of real models do.

    Prompts depend on that: the blank before a cursor is left to such a model. Joined tokens stand behind all others.
    """

    __slots__ = ()

    @property
    def first_piece(self) -> int:
        """The id of the first of `pieces`."""
        return self._first_joined - len(self.pieces)

    @property
    def n_vocab(self) -> int:
        """Number of tokens."""
        return self._first_joined + _N_BYTES

    def tokenize(self, text: str) -> list[int]:
        """The bytes of `text`, those of a blank and a letter behind it as one."""
        data = text.encode("utf-8", "replace")
        ids: list[int] = []
        for number, byte in enumerate(data):
            if byte in _WORD and number and data[number - 1] == _BLANK:
                ids[-1] = self._first_joined + byte
            else:
                ids.append(byte)
        return ids

    def token_bytes(self, token: int) -> bytes:
        """The bytes a token stands for; empty for markers."""
        if token >= self._first_joined:
            return bytes((_BLANK, token - self._first_joined))
        return super().token_bytes(token)

    @property
    def _first_joined(self) -> int:
        return super().n_vocab

    def _is_answer(self, token: int) -> bool:
        return token < self._first_joined and super()._is_answer(token)


@dataclass(slots=True)
class ReplayBackend(FakeBackend):
    """Answers by recordings; where none fits it has nothing to say."""

    recordings: tuple[Recording, ...] = ()
    _ids: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, recordings: Iterable[Recording], n_ctx: int = 16_384) -> Self:
        """The backend of these recordings."""
        kept = tuple(recordings)
        texts = list(dict.fromkeys(said.text for recording in kept for said in recording.tokens))
        # Without markers it is asked as the starter is: by the text before the cursor alone.
        vocabulary = JoiningVocabulary(MARKERS[:1], pieces=tuple(text.encode() for text in texts))
        ids = {text: vocabulary.first_piece + number for number, text in enumerate(texts)}
        return cls(n_ctx=n_ctx, vocabulary=vocabulary, recordings=kept, _ids=ids)

    @classmethod
    def from_json(cls, path: Path) -> Self:
        """The backend of a file that `written_script` made."""
        data: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["recordings"]
        return cls.of(Recording(one["before"], tuple(Said(*said) for said in one["tokens"])) for one in data)

    def scores(self, cells: list[int], n_sure: int) -> Logits:
        """The row of scores after `cells`, of which those from `n_sure` on are a draft that may be wrong."""
        n_prompt = self.vocabulary.n_before_answer(cells[:n_sure])
        if n_prompt == len(cells):
            self.prompts.append(self.vocabulary.spell(cells))
        answer = self._answer(self.vocabulary.spell(cells[:n_prompt]))
        said = cells[n_prompt:]
        ids = [self._ids[token.text] for token in answer]
        if said == ids[: len(said)] and len(said) < len(ids):
            token = answer[len(said)]
            return self._row(ids[len(said)], token.logprob, token.margin)
        return self._row(self.vocabulary.eos_id, *_SURE)

    def _answer(self, prompt: str) -> tuple[Said, ...]:
        end = prompt.rstrip(" \t")
        return next((one.tokens for one in self.recordings if end.endswith(one.before.rstrip(" \t"))), ())

    def _row(self, token: int, logprob: float, margin: float) -> Logits:
        """Scores in which `token` is the best, so sure and so far before the next one."""
        margin = max(margin, _LEAST_MARGIN)
        n_others = self.vocabulary.n_vocab - 2
        # exp(0) + exp(-margin) + the others = exp(-logprob)
        left = math.exp(-logprob) - 1.0 - math.exp(-margin)
        rest = min(-margin, math.log(left / n_others)) if left > 0 else _NOWHERE
        row = np.full(self.vocabulary.n_vocab, rest, dtype=np.float32)
        row[(token + 1) % len(row)] = -margin
        row[token] = 0.0
        return row


def written_script(recordings: Iterable[Recording]) -> str:
    """The JSON of a file for `ReplayBackend.from_json`."""
    return json.dumps(
        {
            "recordings": [
                {"before": one.before, "tokens": [[said.text, said.logprob, said.margin] for said in one.tokens]}
                for one in recordings
            ]
        },
        ensure_ascii=False,
    )

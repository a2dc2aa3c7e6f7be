"""What the loaded model makes of the prompts of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from codeassistd.context.types import Prompt
from codeassistd.engine.backend import Vocabulary
from codeassistd.evals.context.case import Case
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.context.ways import Way

__all__ = ["Judged", "judge"]

_MAX_WRITTEN = 48
"""Tokens of a line that the model may write: more than nearly all true lines have."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One prompt, judged by the line that stood there in truth.

    Attributes:
        nll: of the true line, in nats a token.
        is_exact: whether the model writes just that line.
        similarity: of what it writes to that line, from 0 to 1.
    """

    nll: float
    is_exact: bool
    similarity: float


def judge(case: Case, prompts: Mapping[Way, Prompt], reader: Reader, vocabulary: Vocabulary) -> dict[Way, Judged]:
    """Judge the prompts of one case.

    Raises:
        DecodeError: a step failed.
    """
    return {way: _judged(case, prompt, reader, vocabulary) for way, prompt in prompts.items()}


def _judged(case: Case, prompt: Prompt, reader: Reader, vocabulary: Vocabulary) -> Judged:
    # Behind a prompt that lacks the blank before the cursor, that blank belongs to the line.
    nll = reader.nll(prompt.ids, vocabulary.tokenize(prompt.left_out + case.truth))
    line = reader.line(prompt.ids, _MAX_WRITTEN)
    similarity = SequenceMatcher(None, line, case.truth, autojunk=False).ratio()
    return Judged(nll, line == case.truth, similarity)

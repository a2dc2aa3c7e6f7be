"""Answers by what the model was asked: the same question again, or one typed along from it, needs no engine.

An answer is found by everything that made it: the model, its profile, the file, the limits, and each part of the prompt
with the text behind the cursor. So one that was made from another version of any file is never found, and comes back
when that version does. What is kept is bounded, lies in memory only, and the least recently used goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

from codeassistd.catalogue.profile import Profile
from codeassistd.completion.asking import Asked, Model
from codeassistd.completion.known import Known
from codeassistd.completion.stops import Shape
from codeassistd.completion.text_tree import TextTree
from codeassistd.completion.types import CompletionRequest
from codeassistd.context.types import PartKind, Prompt

__all__ = ["AnswerCache", "Found", "Question", "text_before"]

_MAX_ANSWERS = 512
#: Longer ways back than this are no typing along; each answer on the way costs a comparison.
_MAX_TRIED = 8
_TYPED_PARTS = frozenset({PartKind.PREFIX, PartKind.MIDDLE})


@dataclass(frozen=True, slots=True)
class Question:
    """What an answer depends on, but for the text before the cursor.

    Attributes:
        limits: settings and what the context leaves room for: tokens, lines, several lines or not.
        parts: hash of all other parts of the prompt, and of the text behind the cursor.
    """

    model: str
    profile: Profile
    uri: str
    limits: tuple[int, int, str]
    parts: bytes

    @classmethod
    def of(cls, request: CompletionRequest, model: Model, asked: Asked, suffix: str) -> Question:
        """What is asked, with `suffix` behind the cursor, whether the model is shown it or not."""
        digest = blake2b(digest_size=16)
        parts = [part for part in asked.prompt.parts if part.kind not in _TYPED_PARTS]
        for word in (*(word for part in parts for word in (part.kind.value, part.source, part.text)), suffix):
            content = word.encode("utf-8", "surrogatepass")
            digest.update(len(content).to_bytes(8, "big") + content)
        limits = (asked.n_output, request.settings.max_lines, request.settings.multiline)
        return cls(model.identity, model.profile, request.document.uri, limits, digest.digest())


@dataclass(frozen=True, slots=True)
class Found:
    """A kept answer.

    Attributes:
        typed: what was typed since, and is taken off it.
        cost_ms: what the engine took for it.
    """

    known: Known
    typed: str
    cost_ms: float


class AnswerCache:
    """The kept answers; used on the loop's thread."""

    def __init__(self) -> None:
        self._trees: dict[Question, TextTree[tuple[Known, float]]] = {}
        self._order: OrderedDict[tuple[Question, str], None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._order)

    def put(self, question: Question, before: str, known: Known, cost_ms: float) -> None:
        """Keep an answer to `question` at the end of the text `before`."""
        self._trees.setdefault(question, TextTree()).put(before, (known.alone(), cost_ms))
        self._order[question, before] = None
        self._order.move_to_end((question, before))
        while len(self._order) > _MAX_ANSWERS:
            self._forget(next(iter(self._order)))

    def find(self, question: Question, before: str, shape: Shape) -> Found | None:
        """What a kept answer has for the end of `before`: its own place, or one that was typed along from it."""
        tree = self._trees.get(question)
        if tree is None:
            return None
        for _, (length, (known, cost_ms)) in zip(range(_MAX_TRIED), tree.along(before), strict=False):
            typed = before[length:]
            if known.rest(typed) is not None and (typed or known.shape == shape):
                self._order.move_to_end((question, before[:length]))
                return Found(known, typed, cost_ms)
        return None

    def forget_document(self, uri: str) -> None:
        """The document is closed."""
        for key in [key for key in self._order if key[0].uri == uri]:
            self._forget(key)

    def clear(self) -> None:
        """Forget all."""
        self._trees.clear()
        self._order.clear()

    def _forget(self, key: tuple[Question, str]) -> None:
        question, before = key
        del self._order[key]
        tree = self._trees[question]
        tree.remove(before)
        if not tree:
            del self._trees[question]


def text_before(prompt: Prompt) -> str:
    """The text before the cursor as far as the prompt holds it."""
    return "".join(part.text for part in prompt.parts if part.kind in _TYPED_PARTS) + prompt.left_out

"""A conversation as token ids: what a turn adds comes at the end, and all before it stays as it was, token by token.

The answer's own tokens are used again as the model wrote them, since the same text may be cut into others. Texts are
cut into tokens apart from the template round them, so that nothing that is said can change a token outside of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from codeassistd.chat.summary import Summary
from codeassistd.chat.template import BOS, EOS, ChatTemplate, Message, Role, Slot
from codeassistd.chat.turn import Turn
from codeassistd.context.tokens import TokenCache

__all__ = ["INSTRUCTIONS", "Writer", "instructions_with"]

INSTRUCTIONS = (
    "You are a careful programming assistant. Answer from the code you are shown; say so where it does not tell. "
    "Be brief. Keep to what was agreed."
)
_REMEMBERED = "Agreed earlier in this conversation:"
#: What may be a control token in a template; the vocabulary is asked of each.
_MARKER = re.compile(r"(<[^<>\n]{1,60}>|\[/?[A-Z_]{2,30}\])")
_DECLARED = MappingProxyType({BOS: "tokenizer.ggml.bos_token_id", EOS: "tokenizer.ggml.eos_token_id"})
#: Templates refuse an answer of nothing.
_SAID_NOTHING = "..."


def instructions_with(summary: Summary) -> str:
    """The system message: what the model is to do, then what it is to remember."""
    text = summary.text()
    return f"{INSTRUCTIONS}\n\n{_REMEMBERED}\n{text}" if text else INSTRUCTIONS


@dataclass(slots=True)
class Writer:
    """Writes conversations for one loaded model; used by one thread at a time.

    Attributes:
        model_id: of the model whose tokens are kept with answers.
        metadata: the model file's own key-value pairs.
    """

    template: ChatTemplate
    tokens: TokenCache
    model_id: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    _literals: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def ids(self, instructions: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """The prompt for the answer to the last of `turns`, whatever answer that has.

        Args:
            instructions: the system message.
            turns: at least one.

        Raises:
            ModelError: the model's template fails.
        """
        texts: dict[int, tuple[int, ...]] = {}
        messages: list[Message] = []

        def say(role: Role, ids: Iterable[int]) -> None:
            messages.append(Message(role, len(texts)))
            texts[len(texts)] = tuple(ids)

        first = ""
        if self.template.takes_system:
            say(Role.SYSTEM, self.tokens.ids(instructions))
        else:
            first = f"{instructions}\n\n"
        for place, turn in enumerate(turns):
            say(Role.USER, self.tokens.ids(first + turn.question()))
            first = ""
            if place < len(turns) - 1:
                say(Role.ASSISTANT, self._said(turn))
        return self._filled(self.template.write(messages), texts)

    def size(self, turn: Turn) -> int:
        """Tokens that a turn takes in the window, without the template round it."""
        return self.count(turn.question()) + len(self._said(turn))

    def around(self) -> int:
        """Tokens that the template puts round one turn."""
        turn = Turn(1, "a", "a", said="b")
        return len(self.ids("a", [turn, turn])) - len(self.ids("a", [turn])) - self.size(turn)

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return self.tokens.count(text)

    def _said(self, turn: Turn) -> tuple[int, ...]:
        if turn.said_ids and turn.model_id == self.model_id:
            return turn.said_ids
        return tuple(self.tokens.ids(turn.said.strip() or _SAID_NOTHING))

    def _filled(self, written: Sequence[str | Slot], texts: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
        ids: list[int] = []
        for piece in written:
            if isinstance(piece, str):
                ids += self._literal(piece)
            else:
                ids += texts[piece.number] if piece.number in texts else self._own(piece)
        bos = self.tokens.vocabulary.bos_id
        if bos is not None and ids[:1] != [bos]:
            ids.insert(0, bos)
        return tuple(ids)

    def _own(self, slot: Slot) -> tuple[int, ...]:
        """The token that the model file declares for the beginning or the end."""
        text = self.metadata.get(_DECLARED[slot], "")
        return (int(text),) if text.isdecimal() and int(text) < self.tokens.vocabulary.n_vocab else ()

    def _literal(self, text: str) -> tuple[int, ...]:
        """Ids of what a template wrote, its control tokens as such."""
        known = self._literals.get(text)
        if known is None:
            known = self._literals[text] = tuple(self._with_markers(text))
        return known

    def _with_markers(self, text: str) -> list[int]:
        vocabulary = self.tokens.vocabulary
        ids: list[int] = []
        plain = ""
        for piece in _MARKER.split(text):
            marker = vocabulary.marker_id(piece) if _MARKER.fullmatch(piece) else None
            if marker is None:
                plain += piece
                continue
            ids += [*vocabulary.tokenize(plain), marker] if plain else [marker]
            plain = ""
        return [*ids, *vocabulary.tokenize(plain)] if plain else ids

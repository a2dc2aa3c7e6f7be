"""One turn of a conversation: what was asked, what was put in front of the question, and what was said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = ["Part", "PartKind", "Turn"]


class PartKind(StrEnum):
    """What a part in front of a question is."""

    SELECTION = "selection"
    FILE = "file"
    SYMBOL = "symbol"
    OUTPUT = "output"
    """Of a command or a tool, cut to what matters."""
    DIFF = "diff"
    """What the user has changed lately."""
    OUTLINE = "outline"
    CHUNK = "chunk"
    """A piece of another file that the question's words led to."""
    NOTE = "note"
    """In place of a snippet whose file has changed since."""


#: Parts whose text stands word for word in their file, as long as that is not changed.
_QUOTING = frozenset({PartKind.SELECTION, PartKind.FILE, PartKind.SYMBOL, PartKind.CHUNK})


@dataclass(frozen=True, slots=True)
class Part:
    """A text in front of a question.

    Attributes:
        label: what it is, for people: `outline of src/cart.py`.
        path: absolute, of the file it comes from; None for what comes from none.
        text: as the model reads it, without the label.
    """

    kind: PartKind
    label: str
    text: str
    path: Path | None = None

    @property
    def is_quote(self) -> bool:
        """Whether its text stands word for word in its file, as far as that was not changed."""
        return self.path is not None and self.kind in _QUOTING

    def written(self) -> str:
        """The part as it stands in a prompt."""
        if self.kind is PartKind.NOTE:
            return f"[{self.text}]\n"
        return f"{self.label}:\n```\n{self.text.rstrip()}\n```\n"


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer.

    Attributes:
        number: from 1; a number is given twice only to a question that is asked again in place of itself.
        asked: the user's words.
        shown: the user's words as the model reads them: pasted logs are cut in it.
        said: the answer; empty while there is none.
        said_ids: the answer's tokens as the model wrote them, in the vocabulary of `model_id`, so that the cache knows
            them; another model gets the text.
        is_cut: the answer did not come to its end: it was taken back or failed, or the daemon was killed meanwhile.
    """

    number: int
    asked: str
    shown: str
    parts: tuple[Part, ...] = ()
    said: str = ""
    said_ids: tuple[int, ...] = ()
    model_id: str = ""
    is_cut: bool = False

    def question(self) -> str:
        """The user's side as it stands in a prompt: the parts, then the words."""
        return "\n".join([*(part.written() for part in self.parts), self.shown.strip()])

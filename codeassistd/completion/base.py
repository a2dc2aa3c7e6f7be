"""The text that an answer goes on from, and what was typed since.

An answer holds for one document at one cursor. It still holds when the user has typed on at that cursor and nothing
else has changed, but for what the editor did by itself: closers that it put behind the cursor, or that were typed over.
"""

from __future__ import annotations

from dataclasses import dataclass

from codeassistd.documents.document import Document

__all__ = ["Base"]

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_QUOTES = frozenset("\"'`")
_AUTOMATIC = frozenset(_PAIRS.values()) | _QUOTES


@dataclass(frozen=True, slots=True)
class Base:
    """A cursor in one version of a document.

    Attributes:
        offset: bytes from the start of the document.
    """

    document: Document
    offset: int

    def typed(self, document: Document, offset: int) -> str | None:
        r"""What was typed between this cursor and the one at `offset` of a newer version.

        Returns:
            The text, with `\n` at its line ends; None if anything else was changed.
        """
        old, new = self.document.text.content, document.text.content
        if not self._is_kin(document) or offset < self.offset or new[: self.offset] != old[: self.offset]:
            return None
        typed = _text(new[self.offset : offset])
        behind, behind_now = old[self.offset :], new[offset:]
        if behind_now == behind:
            return typed
        if len(behind_now) > len(behind):
            added = behind_now[: len(behind_now) - len(behind)]
            return typed if behind_now.endswith(behind) and _closes(_text(added), typed) else None
        gone = _text(behind[: len(behind) - len(behind_now)])
        is_typed_over = bool(gone) and set(gone) <= _AUTOMATIC and typed.endswith(gone)
        return typed if behind.endswith(behind_now) and is_typed_over else None

    def between(self, document: Document) -> str | None:
        """What stands in a newer version where this cursor was, wherever its own cursor is; None as in `typed`."""
        old, new = self.document.text.content, document.text.content
        n_behind = len(old) - self.offset
        if not self._is_kin(document) or len(new) < len(old) or new[: self.offset] != old[: self.offset]:
            return None
        return _text(new[self.offset : len(new) - n_behind]) if new.endswith(old[self.offset :]) else None

    def _is_kin(self, document: Document) -> bool:
        return (self.document.uri, self.document.language) == (document.uri, document.language)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _closes(added: str, typed: str) -> bool:
    """Whether an editor puts `added` behind the cursor by itself when `typed` is typed before it."""
    closers = "".join(added.split())
    expected = "".join(_PAIRS.get(opener, opener) for opener in reversed(_left_open(typed)))
    if closers and expected.startswith(closers):
        return True
    # Three quotes open what three quotes close.
    return bool(closers) and set(closers) <= _QUOTES and typed.endswith(closers)


def _left_open(typed: str) -> list[str]:
    """Brackets and quotes that `typed` opens and does not close, in order."""
    openers: list[str] = []
    for letter in typed:
        if openers and letter == _PAIRS.get(openers[-1], openers[-1]):
            openers.pop()
        elif letter in _PAIRS or letter in _QUOTES:
            openers.append(letter)
    return openers

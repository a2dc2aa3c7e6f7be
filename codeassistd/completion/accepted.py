"""Texts that were accepted: who deletes one again does not want to see it come back at once.

A place is remembered by the text that the suggestion went into. It is forgotten as soon as the user does something else
there: from then on the same text is as good as any.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from codeassistd.completion.base import Base
from codeassistd.completion.types import CompletionRequest, Suggestion

__all__ = ["AcceptedTexts"]

#: Suggestions that may still be accepted, and accepted ones that may still be deleted, of all documents together.
_MAX_KEPT = 32


@dataclass(frozen=True, slots=True)
class _Inserted:
    """A suggestion and where it goes to."""

    client: str
    base: Base
    text: str


class AcceptedTexts:
    """What was shown, what of it was accepted; used on the loop's thread."""

    def __init__(self) -> None:
        self._shown: OrderedDict[str, _Inserted] = OrderedDict()
        self._accepted: list[_Inserted] = []

    def shown(self, request: CompletionRequest, suggestion: Suggestion) -> None:
        """A suggestion goes out."""
        text = suggestion.text.replace("\r\n", "\n").replace("\r", "\n")
        self._shown[suggestion.id] = _Inserted(request.client, Base(request.document, request.offset), text)
        while len(self._shown) > _MAX_KEPT:
            self._shown.popitem(last=False)

    def accepted(self, suggestion_id: str) -> None:
        """The user has taken it; an id that is not known is none of ours any more."""
        inserted = self._shown.pop(suggestion_id, None)
        if inserted is not None:
            self._accepted = [*self._accepted[1 - _MAX_KEPT :], inserted]

    def follow(self, request: CompletionRequest) -> None:
        """The user is at the cursor of `request`: what was accepted at a place that this leaves alone is forgotten."""
        self._accepted = [
            inserted for inserted in self._accepted if not _is_of(inserted, request) or _is_at(inserted, request)
        ]

    def refuses(self, request: CompletionRequest, text: str) -> bool:
        """Whether `text` at the cursor of `request` would bring back what was accepted there and deleted."""
        offered = text.replace("\r\n", "\n").replace("\r", "\n")
        for inserted in self._accepted:
            typed = inserted.base.typed(request.document, request.offset) if _is_of(inserted, request) else None
            if typed is None or typed == inserted.text or not inserted.text.startswith(typed):
                continue
            left = inserted.text.removeprefix(typed)
            if offered.startswith(left) or left.startswith(offered):
                return True
        return False

    def drop_client(self, client: str) -> None:
        """The editor is gone."""
        self._accepted = [one for one in self._accepted if one.client != client]
        for key in [key for key, one in self._shown.items() if one.client == client]:
            del self._shown[key]


def _is_of(inserted: _Inserted, request: CompletionRequest) -> bool:
    return (inserted.client, inserted.base.document.uri) == (request.client, request.document.uri)


def _is_at(inserted: _Inserted, request: CompletionRequest) -> bool:
    """Whether nothing but the accepted text, a part of it, or more behind it stands before the cursor."""
    typed = inserted.base.typed(request.document, request.offset)
    return typed is not None and (inserted.text.startswith(typed) or typed.startswith(inserted.text))

"""The open documents of one editor connection, and the only writer of them.

Lives on the loop's thread; everybody else gets frozen `Document`s. A document is *in sync* while its text is known to
equal the editor's. When a change cannot be trusted or applied, the text is left as it was and the document falls out
of sync until its full text arrives again: silence is better than a suggestion that fits another text. Standard library
only, since the proxy keeps the documents too, to tell them to the next daemon.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from codeassistd.documents.change import Change
from codeassistd.documents.document import Document, TextChange
from codeassistd.documents.edit import apply_change
from codeassistd.documents.uri import path_of
from codeassistd.text import PositionEncoding, Text

__all__ = ["DocumentStore"]

_log = logging.getLogger(__name__)


class DocumentStore:
    """What one editor has open, by URI."""

    __slots__ = ("_documents", "_lost", "_unknown", "encoding")

    encoding: PositionEncoding

    def __init__(self, encoding: PositionEncoding = PositionEncoding.UTF16) -> None:
        self.encoding = encoding
        self._documents: dict[str, Document] = {}
        self._lost: set[str] = set()
        self._unknown: set[str] = set()

    def open(self, uri: str, language: str, version: int, text: str) -> Document:
        """Take a document's full text; one that is open already is replaced, since full text is always the truth."""
        if uri in self._documents:
            _log.warning("a document was opened twice; its newest full text counts")
        self._lost.discard(uri)
        self._unknown.discard(uri)
        document = Document(uri=uri, path=path_of(uri), language=language, version=version, text=Text.of(text))
        self._documents[uri] = document
        return document

    def change(self, uri: str, version: int, changes: Sequence[TextChange]) -> Document | None:
        """Apply the changes of one notification, in order.

        Returns:
            The new snapshot; None if nothing was applied, because the document is not open, the version is not newer,
            or edits would build on a text that is out of sync.
        """
        document = self._documents.get(uri)
        if document is None:
            if uri not in self._unknown:
                self._unknown.add(uri)
                _log.warning("a change of a document that is not open was ignored")
            return None
        if version <= document.version:
            self._lose(uri, f"version {version} came after version {document.version}")
            return None
        if uri in self._lost:
            changes = _from_full_text(changes)
            if not changes:
                return None
            self._lost.discard(uri)
        text, made_by = document.text, list[Change | None]()
        for change in changes:
            text, made = apply_change(text, change, self.encoding)
            made_by.append(made)
        known = tuple(made for made in made_by if made is not None)
        changed = replace(document, version=version, text=text, changes=known if len(known) == len(made_by) else ())
        self._documents[uri] = changed
        return changed

    def missed(self, uri: str) -> None:
        """Note that a change of `uri` arrived but could not be read."""
        if uri in self._documents:
            self._lose(uri, "a change could not be read")

    def close(self, uri: str) -> None:
        """Forget a document; unknown ones are ignored."""
        self._documents.pop(uri, None)
        self._lost.discard(uri)
        self._unknown.discard(uri)

    def get(self, uri: str) -> Document | None:
        """The newest snapshot of an open document."""
        return self._documents.get(uri)

    def in_sync(self, uri: str) -> bool:
        """Whether the document is open and its text is known to equal the editor's."""
        return uri in self._documents and uri not in self._lost

    def all(self) -> tuple[Document, ...]:
        """Every open document, in the order they were opened."""
        return tuple(self._documents.values())

    def __len__(self) -> int:
        return len(self._documents)

    def _lose(self, uri: str, reason: str) -> None:
        if uri not in self._lost:
            self._lost.add(uri)
            _log.warning("a document is out of sync until its full text arrives again: %s", reason)


def _from_full_text(changes: Sequence[TextChange]) -> Sequence[TextChange]:
    """The part of `changes` from the last full text on; empty if there is none."""
    for index in range(len(changes) - 1, -1, -1):
        if changes[index].start is None or changes[index].end is None:
            return changes[index:]
    return ()

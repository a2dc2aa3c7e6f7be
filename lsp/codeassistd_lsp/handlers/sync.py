"""`didOpen`, `didChange`, `didClose`, `didSave`: the editor's texts, kept once, in the session's store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsprotocol import types

from codeassistd.documents.document import Document
from codeassistd.documents.uri import path_of
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.convert import changes_of
from codeassistd_lsp.handlers import workspace
from codeassistd_lsp.prewarm import prewarm

__all__ = ["change_document", "close_document", "open_document", "register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    connection.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    connection.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    connection.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)


# None of these may be `async`: they must be done before the next message is read.


def did_open(ls: Connection, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document's text."""
    opened = open_document(ls, params.text_document)
    ls.spawn(prewarm(ls, opened))


def did_change(ls: Connection, params: types.DidChangeTextDocumentParams) -> None:
    """Follow the typing."""
    change_document(ls, params.text_document, params.content_changes)


def did_close(ls: Connection, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    close_document(ls, params.text_document.uri)


def open_document(ls: Connection, document: types.TextDocumentItem) -> Document:
    """Take the text of a document, or of a notebook's cell."""
    opened = ls.session.documents.open(document.uri, document.language_id, document.version, document.text)
    ls.facts.opened(document.uri)
    # A cell lies where its notebook does.
    path = ls.snapshot(document.uri).path
    ls.moments.opened(replace(opened, path=path), workspace.root_of(ls, path))
    return opened


def change_document(
    ls: Connection,
    document: types.VersionedTextDocumentIdentifier,
    events: Sequence[types.TextDocumentContentChangeEvent],
) -> None:
    """Follow the typing in a document or a cell."""
    before = ls.snapshot(document.uri).document
    changed = ls.session.documents.change(document.uri, document.version, changes_of(events))
    after = ls.snapshot(document.uri).document
    if before is not None and after is not None and changed is not None:
        ls.facts.changed(document.uri)
        ls.session.edits.changed(before, after, ls.daemon.clock.monotonic_s())
        ls.daemon.completion.document_changed(ls.session.id, after)
        ls.daemon.outcomes.changed(ls.session.id, before, after)


def close_document(ls: Connection, uri: str) -> None:
    """Forget a document or a cell."""
    ls.session.documents.close(uri)
    ls.facts.closed(uri)
    ls.session.edits.closed(uri)
    ls.moments.closed(uri)
    ls.daemon.outcomes.closed(ls.session.id, uri)
    ls.daemon.completion.document_closed(ls.session.id, uri)


def did_save(ls: Connection, params: types.DidSaveTextDocumentParams) -> None:
    """Workspace settings take effect when they are saved; the index need not wait until its own watch sees a file."""
    path = path_of(params.text_document.uri)
    if path is not None:
        workspace.reread_settings(ls, path)
        ls.moments.saved(path)
        if ls.daemon.indexer is not None:
            ls.daemon.indexer.file_changed(path)

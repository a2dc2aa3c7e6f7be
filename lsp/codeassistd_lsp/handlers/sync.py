"""`didOpen`, `didChange`, `didClose`, `didSave`: the editor's texts, kept once, in the session's store."""

from __future__ import annotations

from lsprotocol import types

from codeassistd.documents.uri import path_of
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.convert import changes_of
from codeassistd_lsp.handlers import workspace
from codeassistd_lsp.prewarm import prewarm

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    connection.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    connection.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    connection.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)


# None of these may be `async`: they must be done before the next message is read.


def did_open(ls: Connection, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document's text."""
    document = params.text_document
    opened = ls.session.documents.open(document.uri, document.language_id, document.version, document.text)
    ls.facts.opened(document.uri)
    ls.moments.opened(opened, workspace.root_of(ls, opened.path))
    ls.spawn(prewarm(ls, opened))


def did_change(ls: Connection, params: types.DidChangeTextDocumentParams) -> None:
    """Follow the typing."""
    document = params.text_document
    before = ls.session.documents.get(document.uri)
    after = ls.session.documents.change(document.uri, document.version, changes_of(params.content_changes))
    if before is not None and after is not None:
        ls.facts.changed(document.uri)
        ls.daemon.completion.document_changed(ls.session.id, after)
        ls.daemon.outcomes.changed(ls.session.id, before, after)


def did_close(ls: Connection, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    ls.session.documents.close(params.text_document.uri)
    ls.facts.closed(params.text_document.uri)
    ls.moments.closed(params.text_document.uri)
    ls.daemon.outcomes.closed(ls.session.id, params.text_document.uri)
    ls.daemon.completion.document_closed(ls.session.id, params.text_document.uri)


def did_save(ls: Connection, params: types.DidSaveTextDocumentParams) -> None:
    """Workspace settings take effect when they are saved; the index need not wait until its own watch sees a file."""
    path = path_of(params.text_document.uri)
    if path is not None:
        workspace.reread_settings(ls, path)
        ls.moments.saved(path)
        if ls.daemon.indexer is not None:
            ls.daemon.indexer.file_changed(path)

"""`notebookDocument/*`: notebooks, whose cells are documents like all others, and the order that the cells stand in."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from codeassistd.documents.notebooks import Cell
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.handlers import sync

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(did_open)
    connection.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(did_change)
    connection.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(did_close)


# None of these may be `async`: they must be done before the next message is read.


def did_open(ls: Connection, params: types.DidOpenNotebookDocumentParams) -> None:
    """Take the order of all cells, then their texts."""
    notebook = params.notebook_document
    ls.session.notebooks.open(notebook.uri, notebook.notebook_type, notebook.version, _cells(notebook.cells))
    for document in params.cell_text_documents:
        sync.open_document(ls, document)


def did_change(ls: Connection, params: types.DidChangeNotebookDocumentParams) -> None:
    """Follow cells that come, go, move and are typed in."""
    notebook, change = params.notebook_document, params.change.cells
    if change is None:
        return
    if change.structure is not None:
        array = change.structure.array
        cells = _cells(array.cells or ())
        ls.session.notebooks.splice(notebook.uri, notebook.version, array.start, array.delete_count, cells)
        for document in change.structure.did_open or ():
            sync.open_document(ls, document)
        for closed in change.structure.did_close or ():
            sync.close_document(ls, closed.uri)
    for edited in change.text_content or ():
        sync.change_document(ls, edited.document, edited.changes)


def did_close(ls: Connection, params: types.DidCloseNotebookDocumentParams) -> None:
    """Forget the notebook and its cells."""
    for cell in params.cell_text_documents:
        sync.close_document(ls, cell.uri)
    ls.session.notebooks.close(params.notebook_document.uri)


def _cells(cells: Sequence[types.NotebookCell]) -> list[Cell]:
    return [Cell(cell.document, cell.kind is types.NotebookCellKind.Code) for cell in cells]

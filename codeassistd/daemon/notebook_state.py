"""The notebooks among what an editor has told its daemon (see `editor_state`): read unchecked, and told again.

Standard library only, since the proxy uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from codeassistd.documents.notebooks import Cell, Notebook, NotebookStore
from codeassistd.documents.store import DocumentStore

__all__ = ["NotebookState"]

_CODE = 2
_PROSE = 1

NoteDocument = Callable[[str, Mapping[str, Any], Mapping[str, Any]], None]
"""Takes what was said of one document: the method of such a notification, its parameters, and the document in them."""


class NotebookState:
    """What the editor said of its notebooks; the cells' texts go where those of all documents are."""

    def __init__(self, note_document: NoteDocument) -> None:
        self._note_document = note_document
        self._store = NotebookStore()

    def note(self, method: str, params: Mapping[str, Any]) -> None:
        """The editor sent a notification `notebookDocument/...`; what cannot be read is left out."""
        notebook = params.get("notebookDocument")
        if not isinstance(notebook, dict) or not isinstance(notebook.get("uri"), str):
            return
        if method == "notebookDocument/didOpen":
            self._note_documents("textDocument/didOpen", params.get("cellTextDocuments"))
            kind, version = notebook.get("notebookType"), notebook.get("version")
            if isinstance(kind, str) and isinstance(version, int):
                self._store.open(notebook["uri"], kind, version, list(_cells(notebook.get("cells"))))
        elif method == "notebookDocument/didClose":
            self._note_documents("textDocument/didClose", params.get("cellTextDocuments"))
            self._store.close(notebook["uri"])
        elif method == "notebookDocument/didChange":
            change = _table(_table(params.get("change")).get("cells"))
            self._change_structure(notebook, _table(change.get("structure")))
            for edited in _tables(change.get("textContent")):
                document = _table(edited.get("document"))
                if isinstance(document.get("uri"), str):
                    self._note_document("textDocument/didChange", {"contentChanges": edited.get("changes")}, document)

    def holds(self, uri: str) -> bool:
        """Whether a document is a cell, so that its notebook tells of it."""
        return self._store.holds(uri)

    def openings(self, documents: DocumentStore) -> Iterator[dict[str, Any]]:
        """The parameters of a `notebookDocument/didOpen` for each notebook as it is now."""
        for notebook in self._store.all():
            cells = [document for cell in notebook.cells if (document := documents.get(cell.uri)) is not None]
            yield {
                "notebookDocument": _told(notebook),
                "cellTextDocuments": [
                    {
                        "uri": document.uri,
                        "languageId": document.language,
                        "version": document.version,
                        "text": str(document.text),
                    }
                    for document in cells
                ],
            }

    def _change_structure(self, notebook: Mapping[str, Any], structure: Mapping[str, Any]) -> None:
        self._note_documents("textDocument/didOpen", structure.get("didOpen"))
        array = _table(structure.get("array"))
        version, start, n_removed = notebook.get("version"), array.get("start"), array.get("deleteCount")
        if isinstance(version, int) and isinstance(start, int) and isinstance(n_removed, int):
            self._store.splice(notebook["uri"], version, start, n_removed, list(_cells(array.get("cells"))))
        self._note_documents("textDocument/didClose", structure.get("didClose"))

    def _note_documents(self, method: str, sent: object) -> None:
        for document in _tables(sent):
            if isinstance(document.get("uri"), str):
                self._note_document(method, {}, document)


def _cells(sent: object) -> Iterator[Cell]:
    for cell in _tables(sent):
        if isinstance(cell.get("document"), str):
            yield Cell(cell["document"], cell.get("kind") == _CODE)


def _told(notebook: Notebook) -> dict[str, Any]:
    cells = [{"kind": _CODE if cell.is_code else _PROSE, "document": cell.uri} for cell in notebook.cells]
    return {"uri": notebook.uri, "notebookType": notebook.kind, "version": notebook.version, "cells": cells}


def _table(sent: object) -> Mapping[str, Any]:
    return sent if isinstance(sent, dict) else {}


def _tables(sent: object) -> Iterator[Mapping[str, Any]]:
    return (item for item in sent if isinstance(item, dict)) if isinstance(sent, list) else iter(())

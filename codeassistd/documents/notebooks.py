"""The notebooks of one editor connection: which documents are their cells, and in which order.

The texts of cells are documents like all others (`DocumentStore`); here is only what holds them together. Standard
library only, since the proxy keeps notebooks too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeassistd.documents.document import Document
from codeassistd.documents.store import DocumentStore
from codeassistd.documents.uri import path_of
from codeassistd.text import Text

__all__ = ["Cell", "CellInNotebook", "Notebook", "NotebookStore"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: `uri` is that of its document; cells that are not code hold prose."""

    uri: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class Notebook:
    """One open notebook.

    Attributes:
        uri: the client's name for it.
        kind: what the client calls its sort, such as jupyter-notebook.
        version: the client's number, growing with each change.
    """

    uri: str
    kind: str
    version: int
    cells: tuple[Cell, ...]

    @property
    def path(self) -> Path | None:
        """Where it lies on disk."""
        return path_of(self.uri)


@dataclass(frozen=True, slots=True)
class CellInNotebook:
    """A cell as the end of the code before it.

    Attributes:
        document: the earlier code cells of its language and the cell itself, under the cell's uri.
        first_line: line of `document` that the cell begins with.
    """

    document: Document
    first_line: int


class NotebookStore:
    """What one editor has open, by URI."""

    __slots__ = ("_notebooks", "_owner")

    def __init__(self) -> None:
        self._notebooks: dict[str, Notebook] = {}
        self._owner: dict[str, str] = {}

    def open(self, uri: str, kind: str, version: int, cells: Sequence[Cell]) -> None:
        """Take a notebook's cells; one that is open already is replaced."""
        self._put(Notebook(uri, kind, version, tuple(cells)))

    def splice(self, uri: str, version: int, start: int, n_removed: int, cells: Sequence[Cell]) -> None:
        """Replace `n_removed` cells from number `start` on; a notebook that is not open is ignored."""
        notebook = self._notebooks.get(uri)
        if notebook is not None:
            kept = notebook.cells
            changed = (*kept[:start], *cells, *kept[start + n_removed :])
            self._put(replace(notebook, version=version, cells=changed))

    def close(self, uri: str) -> None:
        """Forget a notebook; its cells' documents are closed by themselves."""
        self._notebooks.pop(uri, None)
        self._owner = {cell: owner for cell, owner in self._owner.items() if owner != uri}

    def get(self, uri: str) -> Notebook | None:
        """An open notebook."""
        return self._notebooks.get(uri)

    def all(self) -> tuple[Notebook, ...]:
        """Every open notebook, in the order they were opened."""
        return tuple(self._notebooks.values())

    def cell(self, uri: str, documents: DocumentStore) -> CellInNotebook | None:
        """A cell's document behind the code that runs before it; None for what is no cell.

        Outputs are no part of it, nor are cells of prose or of other languages. A cell of prose stands alone.
        """
        document, notebook = documents.get(uri), self._notebooks.get(self._owner.get(uri, ""))
        if document is None or notebook is None:
            return None
        texts: list[bytes] = []
        for cell in notebook.cells:
            if cell.uri == uri:
                before = b"".join(texts) if cell.is_code else b""
                text = Text.of(before + document.text.content)
                changes = tuple(replace(change, start=len(before) + change.start) for change in document.changes)
                joined = replace(document, path=notebook.path, text=text, changes=changes)
                return CellInNotebook(joined, text.line_of(len(before)))
            earlier = documents.get(cell.uri)
            if cell.is_code and earlier is not None and earlier.language == document.language:
                content = earlier.text.content
                texts.append(content if content.endswith(b"\n") or not content else content + b"\n")
        return None

    def holds(self, uri: str) -> bool:
        """Whether a document is a cell of an open notebook."""
        return uri in self._owner

    def _put(self, notebook: Notebook) -> None:
        self.close(notebook.uri)
        self._notebooks[notebook.uri] = notebook
        self._owner |= {cell.uri: notebook.uri for cell in notebook.cells}

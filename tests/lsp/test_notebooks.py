"""Notebooks over a real socket: the cells before come first, in their order, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeassistd.testing.fake_script import Rule
from codeassistd.testing.lsp_client import LspClient
from tests.support.lsp_daemon import lsp_daemon

BOOK = "file:///w/study.ipynb"
CODE, PROSE = 2, 1


def cell_uri(number: int) -> str:
    return f"vscode-notebook-cell:/w/study.ipynb#W{number}"


def item(number: int, text: str, language: str = "python") -> dict[str, Any]:
    return {"uri": cell_uri(number), "languageId": language, "version": 1, "text": text}


def open_book(client: LspClient, *cells: tuple[int, str, str]) -> None:
    """Open a notebook of cells, each a kind, a language and a text; they are numbered from 1."""
    listed = [{"kind": kind, "document": cell_uri(number)} for number, (kind, _, _) in enumerate(cells, 1)]
    client.notify(
        "notebookDocument/didOpen",
        {
            "notebookDocument": {"uri": BOOK, "notebookType": "jupyter-notebook", "version": 1, "cells": listed},
            "cellTextDocuments": [item(number, text, name) for number, (_, name, text) in enumerate(cells, 1)],
        },
    )


def change_book(client: LspClient, version: int, **cells: object) -> None:
    book = {"uri": BOOK, "version": version}
    client.notify("notebookDocument/didChange", {"notebookDocument": book, "change": {"cells": cells}})


def typed(number: int, version: int, line: int, character: int, text: str) -> dict[str, Any]:
    """A text typed in a cell."""
    place = {"line": line, "character": character}
    changes = [{"range": {"start": place, "end": place}, "text": text}]
    return {"document": {"uri": cell_uri(number), "version": version}, "changes": changes}


async def test_earlier_code_cells_come_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order and each on lines of its own; prose, other languages and later cells are left out."""
    async with lsp_daemon(tmp_path, Rule.after("y = ", "x + 1")) as running, running.editor() as client:
        prefixes = running.record_prefixes(monkeypatch)
        open_book(
            client,
            (CODE, "python", "import os"),
            (PROSE, "markdown", "# A heading"),
            (CODE, "shellscript", "ls -l\n"),
            (CODE, "python", "x = 1\n"),
            (CODE, "python", "# é😀\ny = "),
            (CODE, "python", "z = 3"),
        )
        [suggested] = await client.complete(cell_uri(5), 1, 4)
        assert ["import os\nx = 1\n# é😀\ny = "] == prefixes
        place = {"line": 1, "character": 4}
        assert ("x + 1", {"start": place, "end": place}) == (suggested["insertText"], suggested["range"])


async def test_cells_that_are_typed_in_moved_added_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes before a cell is what stands there now."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        prefixes = running.record_prefixes(monkeypatch)
        open_book(client, (CODE, "python", "a = 1"), (CODE, "python", "b = 2"))
        change_book(client, 2, textContent=[typed(1, 2, 0, 5, "0"), typed(2, 2, 0, 5, "0")])
        await client.complete(cell_uri(2), 0, 6)
        added = {"start": 1, "deleteCount": 0, "cells": [{"kind": CODE, "document": cell_uri(3)}]}
        change_book(client, 3, structure={"array": added, "didOpen": [item(3, "c = 3")]})
        await client.complete(cell_uri(2), 0, 6)
        moved = {"start": 0, "deleteCount": 1, "cells": []}
        change_book(client, 4, structure={"array": moved})
        change_book(
            client,
            5,
            structure={"array": {"start": 2, "deleteCount": 0, "cells": [{"kind": CODE, "document": cell_uri(1)}]}},
        )
        await client.complete(cell_uri(1), 0, 6)
        change_book(
            client,
            6,
            structure={"array": {"start": 0, "deleteCount": 1}, "didClose": [{"uri": cell_uri(3)}]},
        )
        await client.complete(cell_uri(1), 0, 6)
        assert [
            "a = 10\nb = 20",
            "a = 10\nc = 3\nb = 20",
            "c = 3\nb = 20\na = 10",
            "b = 20\na = 10",
        ] == prefixes


async def test_a_cell_of_prose_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is no beginning of a text."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        prefixes = running.record_prefixes(monkeypatch)
        open_book(client, (PROSE, "markdown", "first"), (PROSE, "markdown", "second "))
        await client.complete(cell_uri(2), 0, 7)
        assert ["second "] == prefixes


async def test_a_closed_notebook_is_forgotten(tmp_path: Path) -> None:
    """Its cells are no documents any more."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        open_book(client, (CODE, "python", "a = "))
        assert 1 == len(await client.complete(cell_uri(1), 0, 4))
        client.notify(
            "notebookDocument/didClose",
            {"notebookDocument": {"uri": BOOK}, "cellTextDocuments": [{"uri": cell_uri(1)}]},
        )
        assert [] == await client.complete(cell_uri(1), 0, 4)
        [session] = running.daemon.sessions
        assert ((), ()) == (session.notebooks.all(), session.documents.all())


async def test_a_change_that_cannot_be_read_silences_its_cells(tmp_path: Path) -> None:
    """Until the full text of a cell has come again."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        open_book(client, (CODE, "python", "a = "))
        change_book(client, 2, textContent="nonsense")
        assert [] == await client.complete(cell_uri(1), 0, 4)
        change_book(
            client,
            3,
            textContent=[{"document": {"uri": cell_uri(1), "version": 2}, "changes": [{"text": "b = "}]}],
        )
        assert 1 == len(await client.complete(cell_uri(1), 0, 4))
        assert [] == await client.complete(cell_uri(9), 0, 4)


async def test_a_secret_notebook_stays_silent(tmp_path: Path) -> None:
    """Its cells have its name."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        uri = "vscode-notebook-cell:/w/.ssh/x.ipynb#W1"
        listed = [{"kind": CODE, "document": uri}]
        book = {"uri": "file:///w/.ssh/x.ipynb", "notebookType": "jupyter-notebook", "version": 1, "cells": listed}
        document = {"uri": uri, "languageId": "python", "version": 1, "text": "a = "}
        client.notify("notebookDocument/didOpen", {"notebookDocument": book, "cellTextDocuments": [document]})
        assert [] == await client.complete(uri, 0, 4)

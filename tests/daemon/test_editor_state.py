"""What a later daemon is told again about notebooks; documents are tested with the relay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codeassistd.daemon.editor_state import EditorState

BOOK = {"uri": "file:///w/a.ipynb"}


def item(number: int, text: str) -> dict[str, Any]:
    return {"uri": f"cell:{number}", "languageId": "python", "version": 1, "text": text}


def cell(number: int, kind: int = 2) -> dict[str, Any]:
    return {"kind": kind, "document": f"cell:{number}"}


def opened(state: EditorState, *texts: str) -> None:
    cells = [cell(number) for number, _ in enumerate(texts, 1)]
    book = BOOK | {"notebookType": "jupyter-notebook", "version": 1, "cells": cells}
    items = [item(number, text) for number, text in enumerate(texts, 1)]
    state.note("notebookDocument/didOpen", {"notebookDocument": book, "cellTextDocuments": items}, b"")


def changed(state: EditorState, version: int, **cells: object) -> None:
    params = {"notebookDocument": BOOK | {"version": version}, "change": {"cells": cells}}
    state.note("notebookDocument/didChange", params, b"")


def replayed(state: EditorState) -> list[tuple[str, Any]]:
    return [(message["method"], message["params"]) for message in map(json.loads, state.replay())]


def test_a_notebook_is_told_as_it_is_now() -> None:
    """With cells that came, went and were typed in; none of them a second time as a document of its own."""
    state = EditorState()
    opened(state, "a = 1", "b = 2")
    state.note("textDocument/didOpen", {"textDocument": item(9, "alone")}, b"")
    array = {"start": 0, "deleteCount": 1, "cells": [cell(3, kind=1)]}
    changed(state, 2, structure={"array": array, "didOpen": [item(3, "c")], "didClose": [{"uri": "cell:1"}]})
    place = {"line": 0, "character": 0}
    edit = {"range": {"start": place, "end": place}, "text": "# "}
    changed(state, 3, textContent=[{"document": {"uri": "cell:2", "version": 2}, "changes": [edit]}])
    book = BOOK | {"notebookType": "jupyter-notebook", "version": 2, "cells": [cell(3, kind=1), cell(2)]}
    items = [item(3, "c"), item(2, "# b = 2") | {"version": 2}]
    assert [
        ("notebookDocument/didOpen", {"notebookDocument": book, "cellTextDocuments": items}),
        ("textDocument/didOpen", {"textDocument": item(9, "alone")}),
    ] == replayed(state)


def test_a_closed_notebook_is_not_told() -> None:
    """Nor are its cells."""
    state = EditorState()
    opened(state, "a = 1")
    closed = {"notebookDocument": BOOK, "cellTextDocuments": [{"uri": "cell:1"}]}
    state.note("notebookDocument/didClose", closed, b"")
    assert [] == state.replay()


def test_a_cell_in_doubt_is_told_to_be_so() -> None:
    """As a document is: an edit that could not be read leaves its text unknown."""
    state = EditorState()
    opened(state, "a = 1")
    changed(state, 2, textContent=[{"document": {"uri": "cell:1", "version": 2}, "changes": "nonsense"}])
    [_, (method, params)] = replayed(state)
    assert ("textDocument/didChange", "cell:1") == (method, params["textDocument"]["uri"])


@pytest.mark.parametrize("sent", [None, [], {}, {"notebookDocument": 1}, {"notebookDocument": {"uri": 1}}])
@pytest.mark.parametrize("method", ["didOpen", "didChange", "didClose"])
def test_what_cannot_be_read_is_left_out(method: str, sent: Any) -> None:
    """The daemon could not read it either."""
    state = EditorState()
    params = sent if isinstance(sent, dict) else {"notebookDocument": BOOK, "change": sent, "cellTextDocuments": sent}
    state.note(f"notebookDocument/{method}", params, b"")
    assert [] == state.replay()

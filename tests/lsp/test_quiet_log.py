"""Case 40: whatever an editor sends, no traceback is written to the log for it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeassistd.testing.lsp_client import LspError
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
PLACE = {"line": 0, "character": 0}
#: Names that no file can have, or that are no names.
ODD_URIS = [
    "file:///w/a%00b.py",
    "file://[/a.py",
    "file:///w/\ud800.py",
    "file:///" + "x" * 300,
    "file:///w/%ff.py",
    "file://%5B%5D:port/",
    "untitled:\n",
    "",
]


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No entry of any logger carries a traceback at the end of a test."""
    yield
    records = caplog.get_records("call")
    assert [] == [record.getMessage() for record in records if record.exc_info or "Traceback" in record.getMessage()]
    assert [] == [record.getMessage() for record in records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"command": "rm -rf"}, "unknown command; there are codeassistd.accepted and codeassistd.snooze"),
        ({"command": "codeassistd.accepted"}, "codeassistd.accepted takes one argument"),
        ({"command": "codeassistd.accepted", "arguments": [7]}, "codeassistd.accepted takes one argument"),
        ({"command": "codeassistd.accepted", "arguments": ["a", "b"]}, "codeassistd.accepted takes one argument"),
        ({"command": "codeassistd.accepted", "arguments": [{"a": [1]}]}, "codeassistd.accepted takes one argument"),
        ({"command": "codeassistd.accepted", "arguments": "abc"}, "codeassistd.accepted takes one argument"),
        ({"command": 7}, "malformed parameters"),
        (None, "malformed parameters"),
    ],
)
async def test_a_wrong_command_is_refused_in_one_line(tmp_path: Path, params: object, reason: str) -> None:
    """-32602 to the editor, and nothing in our log."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with pytest.raises(LspError) as refused:
            await client.request("workspace/executeCommand", params)
        assert -32602 == refused.value.code
        assert reason in refused.value.message
        assert "\n" not in refused.value.message


@pytest.mark.parametrize("params", [{"id": "\ud800"}, {"id": "unknown"}, None, {}])
async def test_explain_knows_nothing_of_strangers(tmp_path: Path, params: object) -> None:
    """Null, for an id that was never given as well as before the first request."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        assert None is await client.request("codeassistd/explain", params)


@pytest.mark.parametrize("params", [{"id": 7}, {"id": ["a"]}])
async def test_explain_takes_a_text(tmp_path: Path, params: object) -> None:
    """Another kind of id is refused."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with pytest.raises(LspError, match="-32602"):
            await client.request("codeassistd/explain", params)


@pytest.mark.parametrize("uri", ODD_URIS)
async def test_odd_names_of_documents_and_folders(tmp_path: Path, uri: str) -> None:
    """They are followed like any other; those that no file can have belong to no workspace."""
    async with lsp_daemon(tmp_path) as running, running.editor(tmp_path) as client:
        folder = {"uri": uri, "name": "x"}
        event = {"added": [folder], "removed": []}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        client.open(uri, "x = ")
        client.insert(uri, 0, 4, "1")
        assert 1 == len(await client.complete(uri, 0, 5))
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.close_document(uri)
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        await client.request("codeassistd/status")


@pytest.mark.parametrize("uri", ODD_URIS)
async def test_odd_names_at_the_start(tmp_path: Path, uri: str) -> None:
    """The editor is served."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        params = {"capabilities": {}, "workspaceFolders": [{"uri": uri, "name": "x"}], "rootUri": uri}
        await client.request("initialize", params)
        client.notify("initialized", {})
        client.open(URI, "x = ")
        assert 1 == len(await client.complete(URI, 0, 4))


@pytest.mark.parametrize("text", ["\ud800", "x = '\udfff\ud800'\n", "\x00\x00", "\r\r\n\u2028\x0c", "\U0010ffff" * 3])
async def test_odd_texts(tmp_path: Path, text: str) -> None:
    """Halves of letters, zero bytes and strange line ends are text like any other."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, text)
        client.insert(URI, 0, 1, text)
        await client.complete(URI, 0, 1)
        word = {"start": {"line": 9, "character": 9}, "end": PLACE}
        await client.start_completion(URI, 2**31 - 1, 2**31 - 1, selected={"range": word, "text": text}).result()


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [{"range": {"start": {"line": 5, "character": 5}, "end": PLACE}, "text": "a"}],
        [{"range": {"start": PLACE, "end": {"line": 2**31 - 1, "character": 2**31 - 1}}, "text": ""}],
        [{"range": {"start": {"line": -1, "character": 0}, "end": PLACE}, "text": "a"}],
        [{"text": "a"}, {"nonsense": 1}],
        "nonsense",
    ],
)
async def test_odd_edits(tmp_path: Path, changes: object) -> None:
    """Followed or refused, each in a line at most; so are edits of documents that are not open."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x = ")
        for uri in (URI, "file:///w/other.py"):
            document = {"uri": uri, "version": -7}
            client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        await client.request("codeassistd/status")


@pytest.mark.parametrize("reply", [7, "x", {"a": 1}, [7], [[]], [{"completion": 7}], [{"x": {"y": {}}}], None])
async def test_odd_answers_to_our_own_request(tmp_path: Path, reply: Any) -> None:
    """The daemon's settings hold."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        client.replies["workspace/configuration"] = lambda _params: reply
        await client.initialize(capabilities={"workspace": {"configuration": True}})
        await client.wait_for("workspace/configuration")
        client.open(URI, "")
        assert 1 == len(await client.complete(URI, 0, 0))


@pytest.mark.parametrize("settings", [7, [], {"codeassistd": 7}, {"codeassistd": {"completion": [1]}}, None, "\ud800"])
async def test_odd_settings(tmp_path: Path, settings: object) -> None:
    """Pushed, or as initialization options."""
    async with lsp_daemon(tmp_path) as running, running.editor(options=settings) as client:
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        client.open(URI, "")
        assert 1 == len(await client.complete(URI, 0, 0))

"""Whatever an editor sends, it gets one answer per request, no popup, and its connection goes on."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from codeassistd.testing.lsp_client import LspError
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
PLACE = {"line": 0, "character": 0}
GOOD = {"textDocument": {"uri": URI}, "position": PLACE, "context": {"triggerKind": 1}}


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        (None, "message.params"),
        ([], "message.params"),
        ("text", "message.params"),
        ({}, "required field missing @ message.params.text_document"),
        ({key: value for key, value in GOOD.items() if key != "context"}, "field missing @ message.params.context"),
        (GOOD | {"position": {"line": "0", "character": 0}}, "expected int @ message.params.position.line"),
        (GOOD | {"position": {"line": True, "character": 0}}, "expected int @ message.params.position.line"),
        (GOOD | {"position": {"line": 0.5, "character": 0}}, "expected int @ message.params.position.line"),
        (GOOD | {"position": {"line": -1, "character": 0}}, "message.params.position"),
        (GOOD | {"position": {"line": 2**40, "character": 0}}, "message.params.position"),
        (GOOD | {"textDocument": {"uri": 7}}, "expected str @ message.params.text_document.uri"),
        (GOOD | {"context": {"triggerKind": 9}}, "message.params.context.trigger_kind"),
    ],
)
async def test_malformed_parameters_are_refused_with_their_place(tmp_path: Path, params: object, reason: str) -> None:
    """-32602, one line that names the field, and never what stood in it."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x")
        with pytest.raises(LspError) as refused:
            await client.request("textDocument/inlineCompletion", params)
        assert -32602 == refused.value.code
        assert reason in refused.value.message
        assert "\n" not in refused.value.message
        assert 1 == len(await client.complete(URI, 0, 1))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{nonsense", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b"null", -32600),
        (b'{"id": 1, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
        (b'{"jsonrpc": "2.0"}', -32600),
    ],
)
async def test_what_is_no_message_is_refused_without_an_id(tmp_path: Path, body: bytes, code: int) -> None:
    """As JSON-RPC asks, since there is no id to trust; the next message is read as if nothing had been."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.send_body(body)
        [error] = await client.wait_for_errors()
        assert f"'code': {code}" in error
        await client.request("codeassistd/status")


async def test_unknown_methods(tmp_path: Path) -> None:
    """A request is refused with -32601, a notification is ignored."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.notify("textDocument/newInTheNextVersion", {"x": 1})
        client.notify("$/anything")
        with pytest.raises(LspError) as refused:
            await client.request("textDocument/hover", {})
        assert (-32601, "unknown method textDocument/hover") == (refused.value.code, refused.value.message)


async def test_a_method_is_a_request_or_a_notification(tmp_path: Path) -> None:
    """One sent as the other is unknown: nothing happens, and a request is answered all the same."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        for method in ("textDocument/didOpen", "initialized", "exit"):
            with pytest.raises(LspError, match=f"-32601: unknown method {method}"):
                await client.request(method, {})
        client.notify("shutdown")
        client.notify("textDocument/inlineCompletion", GOOD)
        await client.request("codeassistd/status")


async def test_an_answer_nobody_asked_for_is_ignored(tmp_path: Path) -> None:
    """Also one that carries the id of the editor's own request."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x")
        running.backend.step_gate.clear()
        pending = client.start_completion(URI, 0, 1)
        await running.until(running.backend.stepping.is_set)
        client.send({"id": pending.id, "result": "mine"})
        client.send({"id": "unknown", "result": None})
        client.send({"id": "unknown", "error": {"code": 1, "message": "no"}})
        client.send({"id": None, "error": {"code": 1, "message": "no"}})
        await client.request("codeassistd/status")
        running.backend.step_gate.set()
        assert 1 == len((await pending.result())["items"])


async def test_a_change_that_cannot_be_read_puts_its_document_out_of_sync(tmp_path: Path) -> None:
    """A lost edit means that the text differs: no items until the full text has arrived."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x")
        client.change(URI, {"text": None})
        assert [] == await client.complete(URI, 0, 1)
        client.insert(URI, 0, 1, "y")
        assert [] == await client.complete(URI, 0, 1)
        client.change(URI, {"text": "xyz"})
        assert 1 == len(await client.complete(URI, 0, 3))


@pytest.mark.parametrize(
    "params",
    [
        None,
        {"textDocument": {"uri": URI}},
        {"textDocument": {"uri": URI, "languageId": "python", "version": 1, "text": None}},
        {"textDocument": {"uri": URI, "languageId": "python", "version": "1", "text": ""}},
    ],
)
async def test_a_malformed_opening_opens_nothing(tmp_path: Path, params: object) -> None:
    """A null text is not the text "None"."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.notify("textDocument/didOpen", params)
        assert [] == await client.complete(URI, 0, 0)


async def test_a_huge_message_is_refused_and_never_held(tmp_path: Path) -> None:
    """It is answered from its header alone; other editors go on."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client, running.editor() as other:
        client.send_bytes(b"Content-Length: 1000000000000\r\n\r\n{")
        [error] = await client.wait_for_errors()
        assert "a message of 1000000000000 bytes is over the limit of 67108864 bytes" in error
        await other.request("codeassistd/status")


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (b"Content-Length: -5\r\n\r\n", "a Content-Length is not a number"),
        (b"Content-Length: 1_0\r\n\r\n", "a Content-Length is not a number"),
        (b"Content-Type: x\r\n\r\n", "a message has no Content-Length"),
        (b"GET / HTTP/1.1\r\n\r\n", "a header line has no colon"),
        (b"A" * 2_000_000, "a header line is too long"),
        (b"A: b\r\n" * 50, "a message has too many header lines"),
    ],
)
async def test_a_header_without_sense_ends_its_connection_only(tmp_path: Path, header: bytes, reason: str) -> None:
    """Nobody can tell where the next message begins; the daemon and the others live on."""
    async with lsp_daemon(tmp_path) as running, running.editor() as other:
        async with running.editor() as client:
            client.send_bytes(header)
            await client.closed()
            [error] = client.take_errors()
            assert f"{reason}; the connection ends" in error
        await other.request("codeassistd/status")


async def test_headers_are_read_as_the_standard_has_them(tmp_path: Path) -> None:
    """Names in any case, other fields ignored, a length in bytes."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        document = {"uri": URI, "languageId": "python", "version": 1, "text": "é😀 = "}
        message = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}
        body = json.dumps(message, ensure_ascii=False).encode()
        client.send_bytes(
            b"content-length:%d\r\nContent-Type: application/x; charset=utf-8\r\n\r\n%b" % (len(body), body)
        )
        assert 1 == len(await client.complete(URI, 0, 6))


async def test_a_failing_handler_is_an_error_in_the_answer_and_in_our_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line without a traceback for the editor, the place in our code for us, no popup."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:

        def broken() -> Any:
            raise RuntimeError("broken on purpose")

        with monkeypatch.context() as patch:
            patch.setattr(running.daemon, "status", broken)
            with caplog.at_level(logging.ERROR, "codeassistd_lsp"), pytest.raises(LspError) as refused:
                await client.request("codeassistd/status")
        assert (-32603, "RuntimeError: broken on purpose") == (refused.value.code, refused.value.message)
        assert [] == [message.method for message in client.received if message.method.startswith("window/")]
        assert "in status" in caplog.text
        await client.request("codeassistd/status")


async def test_source_text_stays_out_of_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also that of malformed messages, and at every level that our own log has."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with caplog.at_level(logging.DEBUG, "codeassistd"), caplog.at_level(logging.DEBUG, "codeassistd_lsp"):
            client.open(URI, "canary = ")
            client.change(URI, {"text": "canary", "range": "canary"})
            client.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "text": "canary"}})
            with pytest.raises(LspError):
                await client.request("textDocument/inlineCompletion", {"canary": "canary"})
            await client.complete(URI, 0, 9)
        ours = [record.getMessage() for record in caplog.records if record.name.startswith("codeassistd")]
        assert ours
        assert [] == [message for message in ours if "canary" in message]


@pytest.mark.parametrize(
    "params",
    [
        {"command": "rm -rf"},
        {"command": "codeassistd.accepted"},
        {"command": "codeassistd.accepted", "arguments": [7]},
        {"command": "codeassistd.accepted", "arguments": ["a", "b"]},
        {"arguments": []},
    ],
)
async def test_malformed_commands_are_refused(tmp_path: Path, params: object) -> None:
    """-32602 with what is expected."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with pytest.raises(LspError) as refused:
            await client.request("workspace/executeCommand", params)
        assert -32602 == refused.value.code

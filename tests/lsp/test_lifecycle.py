"""Editors come and go in every order that is allowed, and in some that are not."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from codeassistd.daemon.capabilities import initialize_result
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.lsp_client import LspError
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"


@pytest.mark.parametrize(
    ("offered", "chosen", "character"),
    [
        (["utf-8", "utf-16"], "utf-8", 4),
        (["utf-32", "utf-8"], "utf-32", 1),
        (["utf-16"], "utf-16", 2),
        (["utf-7", "utf-8"], "utf-8", 4),
        ([], "utf-16", 2),
        ("utf-8", "utf-16", 2),
        (None, "utf-16", 2),
    ],
)
async def test_positions_are_counted_in_what_was_agreed(
    tmp_path: Path, offered: object, chosen: str, character: int
) -> None:
    """The client's first that we know; UTF-16 otherwise. The item is at the very place that was asked for."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        result = await client.initialize(capabilities={"general": {"positionEncodings": offered}})
        assert chosen == result["capabilities"]["positionEncoding"]
        client.open(URI, "😀= ")
        client.insert(URI, 0, character, " ")
        [item] = await client.complete(URI, 0, character + 3)
        [document] = running.daemon.sessions[0].documents.all()
        assert "😀 = " == str(document.text)
        assert {"line": 0, "character": character + 3} == item["range"]["start"]


@pytest.mark.parametrize(
    "capabilities",
    [{}, {"general": {"positionEncodings": ["utf-8"]}}, {"general": 7}, {"general": {"positionEncodings": [7, None]}}],
)
async def test_the_server_says_what_the_proxy_has_said(tmp_path: Path, capabilities: dict[str, object]) -> None:
    """The proxy answers for the server before it is there, so both answers must be one."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        assert initialize_result({"capabilities": capabilities}) == await client.initialize(capabilities=capabilities)


async def test_everything_that_is_promised_is_there(tmp_path: Path) -> None:
    """Each capability has its handler, which shows in that none of the methods is unknown."""
    methods = [
        "textDocument/inlineCompletion",
        "workspace/executeCommand",
        "codeassistd/status",
        "codeassistd/explain",
        "shutdown",
    ]
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        answers = [client.start(method).result() for method in methods]
        errors = [error for error in await asyncio.gather(*answers, return_exceptions=True) if error is not None]
        assert [] == [error for error in errors if isinstance(error, LspError) and error.code == -32601]


async def test_unknown_words_in_initialize_are_skipped(tmp_path: Path) -> None:
    """Editors announce what newer versions of the standard know; that must not lock them out."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        params = {
            "capabilities": {
                "textDocument": {"completion": {"completionItemKind": {"valueSet": [1, 2, 999]}}},
                "window": {"workDoneProgress": "yes"},
            },
            "clientInfo": {"name": 7},
            "trace": "compact",
            "workspaceFolders": [{"uri": 5}, 7, {"name": "x"}, {"uri": "untitled:x"}],
            "rootUri": 7,
        }
        result = await client.request("initialize", params)
        assert "capabilities" in result
        assert ("", []) == (running.daemon.sessions[0].client_name, running.daemon.sessions[0].roots)


@pytest.mark.parametrize(
    ("params", "roots"),
    [
        ({"workspaceFolders": [{"uri": "file:///w", "name": "w"}], "rootUri": "file:///other"}, [Path("/w")]),
        ({"workspaceFolders": None, "rootUri": "file:///w"}, [Path("/w")]),
        ({"rootPath": "/w"}, [Path("/w")]),
        ({"workspaceFolders": [], "rootUri": "file:///w"}, []),
        ({"rootPath": "relative"}, []),
    ],
)
async def test_the_root_may_be_named_in_three_ways(
    tmp_path: Path, params: dict[str, object], roots: list[Path]
) -> None:
    """Folders first, then the root's URI, then its path, as editors of different age do."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        await client.request("initialize", {"capabilities": {}} | params)
        assert roots == running.daemon.sessions[0].roots


async def test_requests_before_initialize_are_refused(tmp_path: Path) -> None:
    """With the code that the standard has for it; notifications are dropped."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        client.open(URI, "x")
        with pytest.raises(LspError) as refused:
            await client.complete(URI, 0, 0)
        assert -32002 == refused.value.code
        await client.initialize()
        assert [] == await client.complete(URI, 0, 0)


async def test_a_second_initialize_is_refused(tmp_path: Path) -> None:
    """A connection begins once."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with pytest.raises(LspError) as refused:
            await client.initialize()
        assert -32600 == refused.value.code


async def test_goodbye_ends_the_connection_and_never_the_daemon(tmp_path: Path) -> None:
    """After `shutdown` requests are refused, `exit` closes the connection, others are served on."""
    async with lsp_daemon(tmp_path) as running, running.editor() as other:
        async with running.editor() as client:
            client.open(URI, "x")
            await client.request("shutdown")
            with pytest.raises(LspError) as refused:
                await client.complete(URI, 0, 0)
            assert -32600 == refused.value.code
            client.notify("exit")
            await client.closed()
        other.open(URI, "x")
        assert 1 == len(await other.complete(URI, 0, 1))
        await other.leave()
        assert () == running.daemon.sessions


async def test_exit_without_shutdown_ends_the_connection_too(tmp_path: Path) -> None:
    """And so does the end of the stream, in the middle of a message."""
    async with lsp_daemon(tmp_path) as running:
        async with running.editor() as client:
            client.notify("exit")
            await client.closed()
        async with running.editor() as client:
            client.send_bytes(b"Content-Length: 100\r\n\r\n{")
        await running.until(lambda: running.daemon.sessions == ())


async def test_shutdown_during_a_completion_answers_both(tmp_path: Path) -> None:
    """The completion is cancelled, since nobody will see it."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x = ")
        running.backend.step_gate.clear()
        pending = client.start_completion(URI, 0, 4)
        await running.until(running.backend.stepping.is_set)
        assert await client.request("shutdown") is None
        with pytest.raises(LspError) as refused:
            await pending.result()
        assert -32800 == refused.value.code


async def test_shutdown_works_while_the_model_loads(tmp_path: Path) -> None:
    """Nothing of a connection's life waits for the model."""
    gate = threading.Event()
    async with lsp_daemon(tmp_path, backend=FakeBackend(load_gate=gate)) as running, running.editor() as client:
        await client.leave()
        assert not gate.is_set()


async def test_an_editor_that_reads_nothing_harms_nobody(tmp_path: Path) -> None:
    """It waits for itself alone: others are served."""
    async with lsp_daemon(tmp_path) as running, running.editor() as other, running.editor() as client:
        await client.stop_reading()
        for _ in range(2000):
            client.start("codeassistd/status")
        other.open(URI, "x")
        assert 1 == len(await other.complete(URI, 0, 1))

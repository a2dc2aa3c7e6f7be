from __future__ import annotations

import asyncio
import json
import socket
import sys
from typing import Any

import pytest

from codeassistd.daemon.frames import frame
from codeassistd.daemon.lsp_link import LspLink
from codeassistd.errors import DaemonError

SAFETY_S = 20.0


class Server:
    """The other end, led by the test."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, message: dict[str, Any]) -> None:
        self.writer.write(frame(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()))

    async def receive(self) -> dict[str, Any]:
        header = await self.reader.readuntil(b"\r\n\r\n")
        return dict(json.loads(await self.reader.readexactly(int(header.split(b":")[1]))))


async def pair(heard: list[tuple[str, Any]]) -> tuple[LspLink, Server]:
    ours, theirs = socket.socketpair()
    link = LspLink(*await asyncio.open_connection(sock=ours), lambda method, params: heard.append((method, params)))
    return link, Server(*await asyncio.open_connection(sock=theirs))


async def goodbye(link: LspLink, server: Server) -> None:
    closing = asyncio.ensure_future(link.close())
    shutdown = await server.receive()
    server.send({"id": shutdown["id"], "result": None})
    assert ("shutdown", "exit") == (shutdown["method"], (await server.receive())["method"])
    await closing
    server.writer.close()


async def test_answers_find_their_requests_in_any_order() -> None:
    """The server may answer the second before the first, and in letters of any length."""
    async with asyncio.timeout(SAFETY_S):
        link, server = await pair([])
        first = asyncio.ensure_future(link.request("one", {"a": 1}))
        second = asyncio.ensure_future(link.request("two"))
        one, two = await server.receive(), await server.receive()
        server.send({"id": two["id"], "result": "zweites ✓"})
        server.send({"id": one["id"], "result": None})

        assert [None, "zweites ✓"] == [await first, await second]
        assert ({"a": 1}, False) == (one["params"], "params" in two)
        await goodbye(link, server)


async def test_notifications_are_told_in_order() -> None:
    """Among answers and requests of the server."""
    async with asyncio.timeout(SAFETY_S):
        heard: list[tuple[str, Any]] = []
        link, server = await pair(heard)
        server.send({"method": "codeassistd/status", "params": {"state": "loading"}})
        server.send({"method": "codeassistd/status", "params": {"state": "ready"}})
        asking = asyncio.ensure_future(link.request("x"))
        server.send({"id": (await server.receive())["id"], "result": 1})
        await asking

        assert ["loading", "ready"] == [params["state"] for _, params in heard]
        await goodbye(link, server)


async def test_requests_of_the_server_are_answered_with_nothing() -> None:
    """A server that asks for settings or a progress bar must not wait for ever."""
    async with asyncio.timeout(SAFETY_S):
        link, server = await pair([])
        server.send({"id": "a", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
        server.send({"id": "b", "method": "window/workDoneProgress/create", "params": {"token": 1}})

        answers = [await server.receive(), await server.receive()]
        assert [("a", [None, None]), ("b", None)] == [(answer["id"], answer["result"]) for answer in answers]
        await goodbye(link, server)


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        ({"code": -32603, "message": "no"}, 1),
        ({"code": -32602, "message": "no"}, 2),
        ({"code": -32803, "message": "no", "data": {"exitCode": 2}}, 2),
        ({"code": -32803, "message": "no", "data": {"exitCode": "x"}}, 1),
        ({"code": -32602, "message": "no", "data": [1]}, 2),
    ],
)
async def test_an_error_has_the_exit_code_of_its_kind(error: dict[str, Any], exit_code: int) -> None:
    """That which the server names, else that of a wrong argument where the parameters were wrong."""
    async with asyncio.timeout(SAFETY_S):
        link, server = await pair([])
        asking = asyncio.ensure_future(link.request("x"))
        server.send({"id": (await server.receive())["id"], "error": error})
        with pytest.raises(DaemonError, match="no") as raised:
            await asking

        assert exit_code == raised.value.exit_code
        await goodbye(link, server)


async def test_an_error_of_the_server_is_an_error_here() -> None:
    """With the server's own words."""
    async with asyncio.timeout(SAFETY_S):
        link, server = await pair([])
        asking = asyncio.ensure_future(link.request("x"))
        server.send({"id": (await server.receive())["id"], "error": {"code": -32803, "message": "no model"}})

        with pytest.raises(DaemonError, match="no model"):
            await asking
        await goodbye(link, server)


async def test_a_server_that_is_gone_fails_what_waits_and_what_comes() -> None:
    """Also in the middle of a message."""
    async with asyncio.timeout(SAFETY_S):
        link, server = await pair([])
        asking = asyncio.ensure_future(link.request("x"))
        await server.receive()
        server.writer.write(b"Content-Length: 100\r\n\r\n{")
        server.writer.close()

        with pytest.raises(DaemonError, match="the language server is gone"):
            await asking
        with pytest.raises(DaemonError, match="the language server is gone"):
            await link.request("y")
        await link.close()


async def test_a_child_ends_with_its_link() -> None:
    """A spawned server that answers `shutdown` and leaves on `exit` is waited for."""
    script = (
        "import sys, json\n"
        "while line := sys.stdin.buffer.readline():\n"
        "    sys.stdin.buffer.readline()\n"
        "    message = json.loads(sys.stdin.buffer.read(int(line.split(b':')[1])))\n"
        "    if message['method'] == 'exit': break\n"
        "    body = json.dumps({'id': message['id'], 'result': message['method']}).encode()\n"
        "    sys.stdout.buffer.write(b'Content-Length: %d\\r\\n\\r\\n%b' % (len(body), body))\n"
        "    sys.stdout.buffer.flush()\n"
    )
    async with asyncio.timeout(SAFETY_S):
        link = await LspLink.spawn([sys.executable, "-c", script], lambda *_: None)

        assert "echo" == await link.request("echo")
        await link.close()

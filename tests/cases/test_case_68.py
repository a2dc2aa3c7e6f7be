"""Case 68: a web page finds no open door, although every page can send requests to this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from codeassistd.daemon.hello import Answer, Hello, Kind
from codeassistd.daemon.listener import Listener
from codeassistd.daemon.transport import LoopbackTransport, UnixTransport, transport_for
from codeassistd.paths import Paths

_SAFETY_S = 30.0


class Door:
    """A daemon's front door on TCP, as it is where there are no unix sockets, and who got through it."""

    def __init__(self, folder: Path) -> None:
        self.transport = LoopbackTransport(folder / "run" / "d.token")
        self.let_in: list[Kind] = []
        self.listener = Listener(self.transport, lambda _hello: Answer(), self._serve)

    async def _serve(self, kind: Kind, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del reader, writer
        self.let_in.append(kind)

    @property
    def port(self) -> int:
        port = json.loads(self._token_file.read_text("utf-8"))["port"]
        assert isinstance(port, int)
        return port

    @property
    def _token_file(self) -> Path:
        return self.transport._file

    async def said_to(self, request: bytes) -> bytes:
        """All that a client hears who sends this and no more."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request)
        writer.write_eof()
        async with asyncio.timeout(_SAFETY_S):
            try:
                return await reader.read()
            except ConnectionResetError:
                return b""
            finally:
                writer.close()


@contextlib.asynccontextmanager
async def open_door(folder: Path) -> AsyncIterator[Door]:
    door = Door(folder)
    await door.listener.open()
    try:
        yield door
    finally:
        await door.listener.close()


def page_request(head: str, body: bytes = b"") -> bytes:
    return f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_default_is_a_private_socket(platform: str) -> None:
    """No page can reach one: TCP is spoken only where there are none, and no setting turns it on."""
    assert isinstance(transport_for(Paths.resolve({"CODEASSISTD_HOME": "/h"}), platform), UnixTransport)


async def test_tcp_is_bound_to_this_machine_alone(tmp_path: Path) -> None:
    """Nobody else's machine reaches the port, and no setting widens it."""
    transport = LoopbackTransport(tmp_path / "run" / "d.token")
    with transport.listen() as listening:
        assert (socket.AF_INET, "127.0.0.1") == (listening.family, listening.getsockname()[0])


@pytest.mark.parametrize(
    "request_of_a_page",
    [
        page_request("GET / HTTP/1.1\r\nHost: evil.example"),
        page_request("GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://evil.example"),
        page_request("OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nAccess-Control-Request-Method: POST"),
        # Sent without asking the server first, since its type is that of a form.
        page_request("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain", Hello(Kind.CONTROL).to_line()),
        page_request("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade"),
    ],
)
async def test_what_a_page_sends_is_never_answered(tmp_path: Path, request_of_a_page: bytes) -> None:
    """Whatever Host and Origin it names: HTTP is not spoken here, not even to refuse, so there is nothing to read."""
    async with open_door(tmp_path) as door:
        assert b"" == await door.said_to(request_of_a_page)
        assert [] == door.let_in


@pytest.mark.parametrize("token", ["", "guess", "x" * 43])
async def test_without_the_token_nobody_gets_in(tmp_path: Path, token: str) -> None:
    """The token lies in a file that only its owner can read."""
    async with open_door(tmp_path) as door:
        assert b"" == await door.said_to(Hello(Kind.LSP, token=token).to_line())
        assert [] == door.let_in


async def test_our_own_programs_get_in(tmp_path: Path) -> None:
    """With the token that the file has now."""
    async with open_door(tmp_path) as door:
        said = await door.said_to(Hello(Kind.LSP, token=door.transport.token()).to_line())
        assert Answer.from_line(said).ok
        assert [Kind.LSP] == door.let_in


async def test_a_page_that_knows_the_token_is_still_no_client(tmp_path: Path) -> None:
    """The first line must be ours alone: in the body of a page's request it opens nothing."""
    async with open_door(tmp_path) as door:
        body = Hello(Kind.CONTROL, token=door.transport.token()).to_line()
        assert b"" == await door.said_to(page_request("POST / HTTP/1.1\r\nHost: localhost", body))
        assert [] == door.let_in

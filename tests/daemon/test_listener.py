"""The front door: who gets in, and what is left when it closes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from codeassistd.daemon.hello import Answer, Hello, Kind
from codeassistd.daemon.listener import Listener
from codeassistd.daemon.transport import UnixTransport
from codeassistd.errors import SocketTakenError


class Host:
    """What stands behind the door: echoes lines, and notes who came and who was sent away by the end."""

    def __init__(self, verdict: Answer | None = None) -> None:
        self.verdict = verdict or Answer()
        self.seen: list[Hello] = []
        self.served: list[Kind] = []
        self.ended: list[str] = []

    def judge(self, hello: Hello) -> Answer:
        self.seen.append(hello)
        return self.verdict

    async def serve(self, kind: Kind, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.served.append(kind)
        try:
            while line := await reader.readline():
                if line == b"fail\n":
                    raise RuntimeError("secret text")
                writer.write(line)
            self.ended.append("client left")
        except asyncio.CancelledError:
            self.ended.append("door closed")
            raise


@contextlib.asynccontextmanager
async def open_door(path: Path, host: Host) -> AsyncIterator[Listener]:
    listener = Listener(UnixTransport(path), host.judge, host.serve)
    await listener.open()
    try:
        yield listener
    finally:
        await listener.close()


@contextlib.asynccontextmanager
async def knock(path: Path, line: bytes) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(line)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_client_is_led_in_by_its_kind(tmp_path: Path) -> None:
    """Hello, answer, then the connection belongs to whoever serves that kind."""
    host = Host()
    async with open_door(tmp_path / "s", host), knock(tmp_path / "s", Hello(Kind.LSP).to_line()) as (reader, writer):
        assert Answer() == Answer.from_line(await reader.readline())
        writer.write(b"x\n")
        assert b"x\n" == await reader.readline()
        assert [Kind.LSP] == host.served


async def test_many_are_served_at_once(tmp_path: Path) -> None:
    """One client that says nothing holds nobody up."""
    host = Host()
    async with (
        open_door(tmp_path / "s", host),
        knock(tmp_path / "s", b""),
        knock(tmp_path / "s", Hello(Kind.LSP).to_line()) as (first, _),
        knock(tmp_path / "s", Hello(Kind.CONTROL).to_line()) as (second, _),
    ):
        await first.readline()
        await second.readline()
        assert [Kind.LSP, Kind.CONTROL] == sorted(host.served, reverse=True)


@pytest.mark.parametrize("line", [b"GET / HTTP/1.1\r\n", b"x" * 5000 + b"\n", b'{"protocol": 1}\n'])
async def test_strangers_learn_nothing(tmp_path: Path, line: bytes) -> None:
    """Whoever does not say hello is sent away without an answer."""
    host = Host()
    async with open_door(tmp_path / "s", host), knock(tmp_path / "s", line) as (reader, _):
        assert b"" == await reader.read()
    assert ([], []) == (host.seen, host.served)


async def test_a_refused_client_hears_why(tmp_path: Path) -> None:
    """A client of another version gets the reason, and the connection ends."""
    host = Host(Answer("too old"))
    async with open_door(tmp_path / "s", host), knock(tmp_path / "s", Hello(Kind.LSP).to_line()) as (reader, _):
        assert "too old" == json.loads(await reader.readline())["error"]
        assert b"" == await reader.read()
    assert [] == host.served


async def test_closing_ends_the_connections_and_takes_the_socket_away(tmp_path: Path) -> None:
    """After `close` nobody is connected, nobody can connect, and nothing lies on disk."""
    host = Host()
    async with open_door(tmp_path / "s", host) as listener:
        async with knock(tmp_path / "s", Hello(Kind.LSP).to_line()) as (reader, _):
            await reader.readline()
            await listener.close()
            assert b"" == await reader.read()
        assert ["door closed"] == host.ended
        assert not (tmp_path / "s").exists()


async def test_what_fails_in_one_connection_ends_only_that(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake in one conversation is logged, and the next client is served."""
    host = Host()
    async with open_door(tmp_path / "s", host):
        async with knock(tmp_path / "s", Hello(Kind.LSP).to_line() + b"fail\n") as (reader, _):
            await reader.readline()
            assert b"" == await reader.read()
        async with knock(tmp_path / "s", Hello(Kind.LSP).to_line()) as (reader, _):
            assert Answer.from_line(await reader.readline()).ok
    assert ["a connection was ended by an internal error"] == [
        record.message for record in caplog.records if record.levelno == logging.ERROR
    ]


async def test_a_file_in_the_way_is_kept(tmp_path: Path) -> None:
    """The door is not opened over somebody's file."""
    (tmp_path / "s").write_text("mine")
    with pytest.raises(SocketTakenError, match="in the way"):
        await Listener(UnixTransport(tmp_path / "s"), Host().judge, Host().serve).open()
    assert "mine" == (tmp_path / "s").read_text()

"""The tests' own client lets no error of a server pass unseen."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator

import pytest

from codeassistd.testing.lsp_client import LspClient, LspError


def framed(**message: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0"} | message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@contextlib.asynccontextmanager
async def connected() -> AsyncIterator[tuple[LspClient, asyncio.StreamReader, asyncio.StreamWriter]]:
    """A client, and the other end of its stream to play the server at."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=theirs)
    try:
        async with LspClient(*await asyncio.open_connection(sock=ours)) as client:
            yield client, reader, writer
    finally:
        writer.close()


async def failure_of(*messages: bytes, requests: int = 0) -> str:
    """What a block fails with in which the server says `messages` and nobody reads them."""

    async def ignore_all() -> None:
        async with connected() as (client, _, writer):
            for _ in range(requests):
                client.start("anything")
            writer.write(b"".join(messages) + framed(method="last"))
            await client.wait_for("last")

    with pytest.raises(AssertionError) as failed:
        await ignore_all()
    return str(failed.value)


async def test_an_error_without_a_request_fails_the_block() -> None:
    """The server complains about something it could not even attribute."""
    assert "not JSON" in await failure_of(framed(id=None, error={"code": -32700, "message": "not JSON"}))


async def test_an_error_that_was_not_read_fails_the_block() -> None:
    """The test asked, and never looked at the answer."""
    assert "-32603: broken" in await failure_of(framed(id=1, error={"code": -32603, "message": "broken"}), requests=1)


async def test_an_error_shown_to_the_user_fails_the_block() -> None:
    """A popup is the last thing that a user wants of a completion."""
    said = framed(method="window/showMessage", params={"type": 1, "message": "Error in server"})
    assert "Error in server" in await failure_of(said)


async def test_a_second_answer_fails_the_block() -> None:
    """Each request has exactly one."""
    assert "answer without a request" in await failure_of(
        framed(id=1, result=None), framed(id=1, result=None), requests=1
    )


async def test_errors_that_were_read_do_not_fail() -> None:
    """Neither answers that raised, nor reports that were taken."""
    async with connected() as (client, _, writer):
        pending = client.start("anything")
        writer.write(framed(id=pending.id, error={"code": -32601, "message": "unknown"}))
        with pytest.raises(LspError, match="-32601: unknown"):
            await pending.result()
        writer.write(framed(id=None, error={"code": -32700, "message": "not JSON"}))
        assert 1 == len(await client.wait_for_errors())


async def test_the_servers_own_requests_are_answered() -> None:
    """By the test's function, else as unknown."""
    async with connected() as (client, reader, writer):
        client.replies["known"] = lambda params: params["x"] + 1
        writer.write(framed(id="a", method="known", params={"x": 1}) + framed(id="b", method="unknown"))
        answers = []
        for _ in range(2):
            length = int((await reader.readline()).partition(b":")[2])
            await reader.readline()
            answers.append(json.loads(await reader.readexactly(length)))
        assert [("a", 2), ("b", None)] == [(answer["id"], answer.get("result")) for answer in answers]
        assert -32601 == answers[1]["error"]["code"]


async def test_a_server_that_hangs_up_ends_what_is_open() -> None:
    """An answer that cannot come any more is an error for who waits for it."""
    async with connected() as (client, _, writer):
        pending = client.start("anything")
        writer.close()
        with pytest.raises(LspError, match="the connection ended"):
            await pending.result()
        await client.closed()

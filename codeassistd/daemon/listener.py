"""The daemon's front door: accepts connections, checks who is there, reads their first line and hands them on.

Exists only while the daemon holds its lock, so what it finds at the socket's path belongs to a dead predecessor. On the
way out it takes away its own socket and no other's.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from codeassistd.daemon.hello import MAX_LINE_BYTES, Answer, Hello, HelloError, Kind
from codeassistd.daemon.transport import Transport

__all__ = ["Judge", "Listener", "Serve"]

_log = logging.getLogger(__name__)

#: A client that connects and says nothing is dropped; ours say hello in the same breath.
_HELLO_S = 10.0
#: Longest line of the control protocol, whose requests are tiny; LSP bodies are not read by line.
_LINE_BYTES = 1_048_576

Judge = Callable[[Hello], Answer]
"""Decides whether a client that has proved who it is may stay."""

Serve = Callable[[Kind, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Talks with one client until it leaves; its connection is closed afterwards."""


class Listener:
    """Accepts connections from `open` to `close`; each is served by a task of its own."""

    def __init__(self, transport: Transport, judge: Judge, serve: Serve) -> None:
        self._transport = transport
        self._judge = judge
        self._serve = serve
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to accept connections.

        Raises:
            SocketTakenError: something else lies at the socket's path.
            DaemonError: the system refuses.
        """
        listening = self._transport.listen()
        if listening.family == socket.AF_INET:
            self._server = await asyncio.start_server(self._accept, sock=listening, limit=_LINE_BYTES)
        else:
            self._server = await asyncio.start_unix_server(self._accept, sock=listening, limit=_LINE_BYTES)

    async def close(self) -> None:
        """Accept nobody any more, end the open connections and wait until they are closed."""
        if self._server is not None:
            # Before the close: a client that finds no socket starts a new daemon instead of waiting for this one.
            self._transport.release()
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._tasks.add(task)
        try:
            kind = await self._greet(reader, writer)
            if kind is not None:
                await self._serve(kind, reader, writer)
        except (ConnectionError, TimeoutError):
            _log.debug("a client left without a word")
        except asyncio.CancelledError:
            # Only `close` cancels these tasks, and nobody waits for their result.
            _log.debug("a connection was closed by the daemon's end")
        except Exception:  # noqa: BLE001 - the guard of a connection: what fails in one must not disturb the others
            _log.exception("a connection was ended by an internal error")
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Kind | None:
        """Read the hello and answer it; None if the client may not stay."""
        async with asyncio.timeout(_HELLO_S):
            try:
                line = await reader.readuntil(b"\n")
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                return None
        try:
            hello = Hello.from_line(line) if len(line) <= MAX_LINE_BYTES else None
        except HelloError:
            hello = None
        peer = writer.get_extra_info("socket")
        if hello is None or not self._transport.admits(peer, hello.token):
            # No answer: whoever this is has no business here, and learns nothing.
            _log.warning("a connection was refused: not a client of this user")
            return None
        answer = self._judge(hello)
        writer.write(answer.to_line())
        await writer.drain()
        return hello.kind if answer.ok else None

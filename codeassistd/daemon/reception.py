"""Who is let in, and which room each connection is led to."""

from __future__ import annotations

import asyncio
import json
import re

from codeassistd import __version__
from codeassistd.daemon.control import ControlConnection
from codeassistd.daemon.daemon import Daemon, ServeConnection
from codeassistd.daemon.frames import frame
from codeassistd.daemon.hello import PROTOCOL, Answer, Hello, Kind
from codeassistd.daemon.relay import STOPPING

__all__ = ["Reception"]

_STOPPING = frame(json.dumps({"jsonrpc": "2.0", "method": STOPPING, "params": {}}).encode())


class Reception:
    """Makes a session of each editor connection, and answers the command line's."""

    def __init__(self, daemon: Daemon, serve_lsp: ServeConnection) -> None:
        self._daemon = daemon
        self._serve_lsp = serve_lsp
        self._editors: set[asyncio.StreamWriter] = set()

    def judge(self, hello: Hello) -> Answer:
        """Let in what is of our own version; a newer one means that our time is over."""
        if hello.protocol == PROTOCOL and hello.version == __version__:
            return Answer()
        if _order_of(hello.version) > _order_of(__version__):
            self._daemon.retire()
        return Answer(
            f"this daemon is version {__version__}, the program that calls it {hello.version}; "
            "`codeassistd stop` of the older one, then try again"
        )

    async def serve(self, kind: Kind, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk with one client until it leaves."""
        if kind is Kind.CONTROL:
            await ControlConnection(self._daemon, reader, writer).run()
            return
        session = self._daemon.open_session()
        self._editors.add(writer)
        try:
            await self._serve_lsp(self._daemon, session, reader, writer)
        finally:
            self._editors.discard(writer)
            self._daemon.close_session(session)

    def announce_stop(self) -> None:
        """Tell the proxies that the end is wanted, so that they do not start a new daemon at once."""
        for writer in self._editors:
            writer.write(_STOPPING)


def _order_of(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))

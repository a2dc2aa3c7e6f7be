"""The language server: what the daemon calls for each editor connection."""

from __future__ import annotations

import asyncio

from codeassistd.daemon.daemon import Daemon
from codeassistd.daemon.session import Session
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.handlers import (
    chat,
    commands,
    completion,
    configuration,
    inline_completion,
    lifecycle,
    notebooks,
    snippet,
    status,
    sync,
    workspace,
)

__all__ = ["serve"]

_GROUPS = (
    lifecycle,
    sync,
    notebooks,
    inline_completion,
    completion,
    chat,
    configuration,
    workspace,
    commands,
    snippet,
    status,
)


async def serve(daemon: Daemon, session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Speak the language server protocol with one editor until it leaves; ends what still runs for it."""
    connection = Connection(daemon, session, writer)
    for group in _GROUPS:
        group.register(connection)
    try:
        await connection.run(reader)
    finally:
        await connection.close()

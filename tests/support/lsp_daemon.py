"""A daemon with a scripted model, and language clients that reach it over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.completion.service import CompletionService
from codeassistd.config import Settings
from codeassistd.daemon.announcer import Announcer
from codeassistd.daemon.daemon import Daemon
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import EngineState
from codeassistd.metrics.spans import SpanLog
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.lsp_client import LspClient
from codeassistd_lsp.server import serve

_SAFETY_S = 30.0


@dataclass
class LspDaemon:
    """The daemon under test and what it was made of."""

    daemon: Daemon
    backend: FakeBackend
    clock: FakeClock
    served: list[asyncio.Task[None]] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncIterator[LspClient]:
        """A client at the other end of a socket pair."""
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=theirs, limit=1_048_576)
        self.served.append(asyncio.create_task(self._serve(reader, writer)))
        async with LspClient(*await asyncio.open_connection(sock=ours)) as client:
            yield client

    @contextlib.asynccontextmanager
    async def editor(self, root: Path | None = None, **initialize: object) -> AsyncIterator[LspClient]:
        """A client that has said hello."""
        async with self.connect() as client:
            await client.initialize(root, **initialize)
            yield client

    async def until_loaded(self) -> None:
        """Wait for the model."""
        await self.until(lambda: self.daemon.engine.status().state is EngineState.READY)

    async def until(self, holds) -> None:
        """Wait for something that the daemon's threads bring about."""
        async with asyncio.timeout(_SAFETY_S):
            while not holds():
                await asyncio.sleep(0.001)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = self.daemon.open_session()
        try:
            await serve(self.daemon, session, reader, writer)
        finally:
            self.daemon.close_session(session)
            writer.close()


@contextlib.asynccontextmanager
async def lsp_daemon(
    home: Path,
    *rules: Rule,
    default: str = "pass",
    settings: Settings | None = None,
    backend: FakeBackend | None = None,
) -> AsyncIterator[LspDaemon]:
    """Run a daemon; at the end every connection must have ended by itself, and the backend's contract have held."""
    backend = backend or FakeBackend(FakeScript(rules, default))
    clock, spans = FakeClock(), SpanLog()
    announcer = Announcer(asyncio.get_running_loop())
    engine = Engine(backend.load, clock, announcer.announce)
    daemon = Daemon(
        paths=Paths.resolve({"CODEASSISTD_HOME": str(home)}),
        settings=settings or Settings(),
        clock=clock,
        engine=engine,
        completion=CompletionService(engine, spans),
        indexer=None,
        spans=spans,
        announcer=announcer,
    )
    daemon.start()
    running = LspDaemon(daemon, backend, clock)
    try:
        if backend.load_gate.is_set():
            await running.until_loaded()
        yield running
        async with asyncio.timeout(_SAFETY_S):
            await asyncio.gather(*running.served)
    finally:
        backend.load_gate.set()
        backend.step_gate.set()
        await daemon.stop()
    assert [] == backend.violations

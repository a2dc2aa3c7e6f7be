"""A daemon with a scripted model, and language clients that reach it over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeassistd.completion.growth import ShowPart
from codeassistd.completion.types import CompletionRequest, CompletionResult
from codeassistd.config import IndexSettings, Settings
from codeassistd.daemon.assembly import build_daemon
from codeassistd.daemon.daemon import Daemon
from codeassistd.engine.request import EngineState
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.lsp_client import LspClient
from codeassistd.text import Span
from codeassistd_lsp.server import serve

_SAFETY_S = 30.0
_WITHOUT_INDEX = Settings(index=IndexSettings(enabled=False))


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

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that the daemon's threads bring about."""
        async with asyncio.timeout(_SAFETY_S):
            while not holds():  # noqa: ASYNC110 - other threads cannot set an event of this loop
                await asyncio.sleep(0.001)

    def record_prefixes(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The text before the cursor of each request that reaches the completion service from now on."""
        prefixes: list[str] = []
        complete = self.daemon.completion.complete

        async def noting(request: CompletionRequest, show_part: ShowPart | None) -> CompletionResult:
            prefixes.append(request.document.text.slice(Span(0, request.offset)))
            return await complete(request, show_part)

        monkeypatch.setattr(self.daemon.completion, "complete", noting)
        return prefixes

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
    clock = FakeClock()
    paths = Paths.resolve({"CODEASSISTD_HOME": str(home)})
    daemon = build_daemon(paths, settings or _WITHOUT_INDEX, clock, backend.load)
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

"""A completion service on a real engine with a scripted backend, and with a semantic cache in a folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from codeassistd.catalogue.profile import FimOrder
from codeassistd.completion.semantic.vectors import HashedVectors
from codeassistd.completion.semantic_cache import SemanticCache
from codeassistd.completion.service import CompletionService
from codeassistd.completion.types import CompletionRequest
from codeassistd.context.builder import ContextBuilder
from codeassistd.engine.engine import Engine
from codeassistd.index.types import NoIndex
from codeassistd.metrics.spans import Span, SpanLog
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from tests.support.engines import running
from tests.support.prompts import profile

__all__ = ["Proposing", "proposing"]

#: How long the engine's thread may take before a test gives up; no test depends on it otherwise.
_SAFETY_S = 60.0


@dataclass
class Proposing:
    """The service and what it stands on."""

    engine: Engine
    service: CompletionService
    semantic: SemanticCache

    async def complete(self, request: CompletionRequest) -> tuple[str | None, Span]:
        """The suggestion and its span, once the engine has told what it did and the answer is kept."""
        result = await self.service.complete(request)
        if result.span.n_prompt:
            await self._settle(result.span)
        self.semantic.flush()
        return (None if result.suggestion is None else result.suggestion.text), result.span

    async def story(self, request: CompletionRequest) -> tuple[str | None, int, int]:
        """The suggestion, and how many tokens were proposed and confirmed."""
        text, span = await self.complete(request)
        return text, span.n_proposed, span.n_confirmed

    async def _settle(self, span: Span) -> None:
        async with asyncio.timeout(_SAFETY_S):
            while not span.is_measured:  # noqa: ASYNC110 - the engine's thread has no event of this loop to set
                await asyncio.sleep(0.001)


@asynccontextmanager
async def proposing(backend: FakeBackend, folder: Path, max_mb: int = 16) -> AsyncIterator[Proposing]:
    """A service whose suggestions are kept in `folder`."""
    clock = FakeClock()
    semantic = SemanticCache(folder, max_mb, HashedVectors, clock)
    # What is on disk is known from here on.
    semantic.flush()
    async with running(backend) as engine:
        service = CompletionService(
            engine,
            ContextBuilder(NoIndex()),
            SpanLog(),
            lambda _: profile(FimOrder.PSM),
            clock,
            semantic=semantic,
        )
        try:
            yield Proposing(engine, service, semantic)
        finally:
            semantic.close()

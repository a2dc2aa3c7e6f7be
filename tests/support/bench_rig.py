"""A rig of scripted models: what `bench engine` measures, without a model and without a look at speed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np

from codeassistd.bench.engine.corpus import Corpus
from codeassistd.bench.engine.rig import Rig
from codeassistd.catalogue.profile import FimOrder, Profile
from codeassistd.clock import SystemClock
from codeassistd.config import ContextSettings
from codeassistd.engine.backend import Backend, Batch
from codeassistd.engine.engine import Engine
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import running

__all__ = ["BackendLoop", "rig_of"]

#: Long enough for every measurement.
_ANSWER = "return value\n" * 30


class BackendLoop:
    """The bare loop over any backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._n_held = 0
        self._next = 0

    def read(self, prompt: Sequence[int]) -> int:
        self._backend.clear()
        self._n_held = 0
        self._step(prompt)
        return self._next

    def write(self, n_tokens: int) -> list[int]:
        written = []
        for _ in range(n_tokens):
            self._step([self._next])
            written.append(self._next)
        return written

    def _step(self, tokens: Sequence[int]) -> None:
        n_tokens = len(tokens)
        positions = range(self._n_held, self._n_held + n_tokens)
        wanted = [False] * (n_tokens - 1) + [True]
        rows = self._backend.decode(Batch(tokens, positions, [0] * n_tokens, wanted))
        assert rows is not None
        self._n_held += n_tokens
        self._next = int(np.argmax(rows[-1]))


@asynccontextmanager
async def rig_of(answer: str = _ANSWER, *, n_slots: int = 9, n_ctx: int = 4096) -> AsyncIterator[Rig]:
    """A rig whose models answer the same to everything."""
    script = FakeScript((), answer)
    async with running(FakeBackend(script, n_slots=n_slots, n_ctx=n_ctx)) as engine:
        backend = FakeBackend(script, n_slots=n_slots, n_ctx=n_ctx)
        backend.load(lambda _share: True)
        yield Rig(
            model="fake",
            engine=engine,
            backend=backend,
            bare=BackendLoop(backend),
            corpus=Corpus.of_library(backend.vocabulary),
            profile=Profile(FimOrder.PREFIX, "none"),
            context=ContextSettings(max_tokens=256),
            clock=SystemClock(),
            info_with=lambda _kv_type: backend.info,
            new_engine=lambda options: Engine(FakeBackend(script, n_slots=n_slots, n_ctx=n_ctx).load, options=options),
        )
        assert [] == backend.violations

"""An engine in this process for an eval, loaded and ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.chat.model import LoadedModel, Models
from codeassistd.clock import SystemClock
from codeassistd.config import ModelSettings
from codeassistd.daemon.model import Model
from codeassistd.engine.engine import Engine
from codeassistd.paths import Paths

__all__ = ["open_engine"]


@contextlib.asynccontextmanager
async def open_engine(paths: Paths, settings: ModelSettings) -> AsyncIterator[tuple[Engine, LoadedModel]]:
    """The engine with the model that `settings` choose, with room for one sequence.

    Raises:
        NotReadyError: it cannot be had or loaded, with the cause.
    """
    clock = SystemClock()
    model = Model(Catalogue(paths), settings.model_copy(update={"n_slots": 1}))
    engine = Engine(model.load, clock)
    engine.start()
    try:
        yield engine, await Models(engine, clock).loaded(None)
    finally:
        await asyncio.to_thread(engine.stop)

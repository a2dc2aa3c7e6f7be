"""An engine in this process for an eval, loaded and ended."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.chat.model import LoadedModel, Models
from codeassistd.clock import SystemClock
from codeassistd.config import ModelSettings
from codeassistd.daemon.loaded_engine import loaded_engine
from codeassistd.daemon.model import Model
from codeassistd.engine.engine import Engine
from codeassistd.paths import Paths

__all__ = ["open_engine"]


@contextlib.asynccontextmanager
async def open_engine(paths: Paths, settings: ModelSettings) -> AsyncIterator[tuple[Engine, LoadedModel]]:
    """The engine with the model that `settings` choose, with room for one sequence.

    Raises:
        ModelLoadError: it cannot be had or loaded, with the cause.
    """
    clock = SystemClock()
    chosen = settings.model_copy(update={"n_slots": 1})
    async with loaded_engine(Model(Catalogue(paths), chosen), chosen, clock) as engine:
        yield engine, await Models(engine, clock).loaded(None)

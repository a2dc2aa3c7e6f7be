"""The daemon's engine without a daemon: loaded for a measurement in this process, and ended with it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from codeassistd.clock import Clock
from codeassistd.config import ModelSettings
from codeassistd.daemon.model import Model
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState
from codeassistd.errors import ModelLoadError

__all__ = ["loaded_engine"]

_POLL_S = 0.01


@contextlib.asynccontextmanager
async def loaded_engine(model: Model, settings: ModelSettings, clock: Clock) -> AsyncIterator[Engine]:
    """The engine once it has `model`, with the options of `settings`; the memory is given back at the end.

    Raises:
        ModelLoadError: the model cannot be had or loaded.
    """
    engine = Engine(model.load, clock, options=EngineOptions.from_settings(settings))
    engine.start()
    try:
        while (status := engine.status()).state is EngineState.LOADING:
            await clock.sleep(_POLL_S)
        if status.state is not EngineState.READY:
            raise ModelLoadError(status.detail or "no model is chosen; see `codeassistd model list`")
        yield engine
    finally:
        engine.stop()

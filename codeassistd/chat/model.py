"""The model that answers: waits until it is loaded, and writes for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from dataclasses import dataclass

from codeassistd.chat.prompt import Writer
from codeassistd.chat.template import ChatTemplate
from codeassistd.clock import Clock
from codeassistd.context.tokens import TokenCache
from codeassistd.engine.backend import BackendInfo, Vocabulary
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import EngineState
from codeassistd.errors import NotReadyError

__all__ = ["LoadedModel", "Models", "writer_for"]

#: A model takes seconds to load, and who asks a question waits for it by choice.
_POLL_S = 0.05
_COMING = frozenset({EngineState.LOADING, EngineState.UNLOADED})


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """What answers now; `n_ctx` is how many tokens one sequence can hold."""

    writer: Writer
    n_ctx: int


class Models:
    """Knows the loaded model; used on the loop's thread."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._known: tuple[Vocabulary, LoadedModel] | None = None

    @property
    def template_state(self) -> str:
        """Whose chat template is in force, for `status`; empty before the first question."""
        if self._known is None:
            return ""
        return self._known[1].writer.template.warning or "the model's own"

    async def loaded(self, thread: Executor | None) -> LoadedModel:
        """The model, once it is there; `thread` is where its writer is made, and used; None: anywhere.

        Raises:
            NotReadyError: there is none, and none is being loaded.
        """
        self._engine.wake()
        while (status := self._engine.status()).state in _COMING:
            await self._clock.sleep(_POLL_S)
        vocabulary, info = self._engine.vocabulary, self._engine.info
        if vocabulary is None or info is None:
            cause = status.detail or "no model is set; choose one with `codeassistd model use`"
            raise NotReadyError(cause)
        if self._known is None or self._known[0] is not vocabulary:
            loop = asyncio.get_running_loop()
            writer = await loop.run_in_executor(thread, writer_for, vocabulary, info)
            self._known = (vocabulary, LoadedModel(writer, info.n_ctx))
        return self._known[1]


def writer_for(vocabulary: Vocabulary, info: BackendInfo) -> Writer:
    """Writes for one loaded model; asks its vocabulary some questions."""
    return Writer(ChatTemplate.of(info.metadata), TokenCache(vocabulary), info.model_id, info.metadata)

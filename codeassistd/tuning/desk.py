"""A desk to type at in this process: model, engine and completions as a daemon has them, with nothing of the user's."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from codeassistd.bench.keystrokes import TypingScript
from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.clock import Clock, SystemClock
from codeassistd.completion.semantic_cache import SemanticCache
from codeassistd.completion.service import CompletionService
from codeassistd.completion.types import CompletionRequest, Trigger
from codeassistd.config import Settings
from codeassistd.context.builder import ContextBuilder
from codeassistd.daemon.loaded_engine import loaded_engine
from codeassistd.daemon.model import Model
from codeassistd.documents.document import Document
from codeassistd.engine.backend import BackendFactory
from codeassistd.engine.engine import Engine
from codeassistd.errors import EngineError
from codeassistd.index.types import NoIndex
from codeassistd.metrics.spans import Outcome, SpanLog
from codeassistd.paths import Paths
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["Desk", "TypedKey", "open_desk"]

_CLIENT = "tune"
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class TypedKey:
    """One key and its answer.

    Attributes:
        ms: until the answer was there.
        has_asked: whether the engine was asked for it.
        is_silent: whether nothing was shown since a rule forbids it there, or the answer was not sure enough.
        is_shown: whether a suggestion was shown.
    """

    ms: float
    has_asked: bool
    is_silent: bool
    is_shown: bool


class Desk:
    """Types scripts, one document after the other.

    Args:
        engine: started and with a model.
        service: over that engine.
        settings: in force at this desk.
        clock: measures the keys.
    """

    def __init__(self, engine: Engine, service: CompletionService, settings: Settings, clock: Clock) -> None:
        self._engine = engine
        self._service = service
        # The scripts are files of the library, which nobody has put under git. And who types on as soon as there is an
        # answer never rests, so nothing is worked out ahead: it would be, while another desk has its turn and its times
        # are taken.
        self._completion = settings.completion.model_copy(update={"ignored_files": True, "follow_up": "off"})
        self._context = settings.context
        self._clock = clock
        self._facts = DocumentFacts(Languages.default())
        self._n_typed = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each setting that is not in force as asked."""
        return self._engine.status().warnings

    async def rest(self) -> None:
        """Wait until the engine has nothing to do, such as the rest of an answer whose first lines were shown."""
        status = self._engine.status()
        while status.n_running + status.n_waiting:
            await self._clock.sleep(_POLL_S)
            status = self._engine.status()

    async def keys(self, script: TypingScript) -> AsyncIterator[TypedKey]:
        """Open the script's file, and type one key each time; what is answered before the first one is not counted.

        Raises:
            EngineError: a request ended in an error.
        """
        self._n_typed += 1
        # A document of its own each time, so that no script finds the choices that another one led to.
        path = script.path.with_name(f"{self._n_typed}-{script.path.name}")
        uri = path.as_uri()
        facts = None
        for n_keys in range(len(script.keys) + 1):
            before = Text.of(script.before + script.typed(n_keys))
            text = Text.of(str(before) + script.after)
            if facts is None or script.keys[n_keys - 1].startswith(("\n", "\r")):
                facts = self._facts.facts(uri, script.language, text)
            request = CompletionRequest(
                client=_CLIENT,
                document=Document(uri, path, script.language, n_keys, text),
                offset=len(before),
                root=path.parent,
                trigger=Trigger.AUTOMATIC,
                settings=self._completion,
                context=self._context,
                facts=facts,
            )
            begun_s = self._clock.monotonic_s()
            span = (await self._service.complete(request)).span
            ms = 1000 * (self._clock.monotonic_s() - begun_s)
            if span.outcome is Outcome.ERROR:
                raise EngineError(f"the engine failed while it was measured: {span.reason}")
            if n_keys:
                yield TypedKey(ms, span.n_prompt > 0, span.outcome is Outcome.SILENT, span.outcome is Outcome.SHOWN)


@contextlib.asynccontextmanager
async def open_desk(
    paths: Paths, settings: Settings, substitute: BackendFactory | None = None, clock: Clock | None = None
) -> AsyncIterator[Desk]:
    """Load the model that the settings choose, and give its memory back at the end.

    Args:
        paths: where models lie; nothing else of the user's is read, and nothing is written.
        settings: all of them count but the index and the history.
        substitute: loads in place of llama.cpp, for tests.
        clock: the system's, unless another one is given.

    Raises:
        ModelLoadError: the model cannot be had or loaded.
    """
    clock = clock or SystemClock()
    chosen = settings.model.model_copy(update={"idle_unload_s": 0.0})
    model = Model(Catalogue(paths), chosen, substitute)
    async with loaded_engine(model, chosen, clock) as engine:
        with tempfile.TemporaryDirectory(prefix="codeassistd-tune-") as folder:
            semantic = SemanticCache(Path(folder), settings.completion.semantic_cache_mb, model.vectors, clock)
            service = CompletionService(
                engine, ContextBuilder(NoIndex()), SpanLog(), model.profile_of, clock, semantic=semantic
            )
            with contextlib.closing(semantic):
                yield Desk(engine, service, settings, clock)

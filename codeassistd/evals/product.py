"""The program's own way from a cursor to a suggestion, in this process: what an editor would get, without an editor.

Engine, prompt, stops, the pipeline that makes a text fit: all of it is the program's own. Requests are made by hand, so
neither the gate nor a rule of silence keeps back what is to be judged, and there is no deadline that a slow machine
would miss. No request knows of another.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.clock import Clock, SystemClock
from codeassistd.completion.service import CompletionService
from codeassistd.completion.types import CompletionRequest, CompletionResult, Trigger
from codeassistd.config import ContextSettings, Settings
from codeassistd.context.builder import ContextBuilder
from codeassistd.daemon.loaded_engine import loaded_engine
from codeassistd.daemon.model import Model
from codeassistd.documents.document import Document
from codeassistd.engine.backend import BackendFactory
from codeassistd.engine.engine import Engine
from codeassistd.errors import EngineError
from codeassistd.index.types import IndexLookup, NoIndex
from codeassistd.metrics.spans import Outcome, SpanLog
from codeassistd.paths import Paths
from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["Asked", "Product", "open_product", "unhurried"]

_DEADLINE_MS = 3_600_000
"""Far longer than the settings allow: what a suggestion is counts here, not when it comes on a busy machine."""
_COLD_MS, _KEY_MS = 60_000, 10_000
"""The longest that the settings allow: prompts are bounded by tokens alone."""
_FAILED = frozenset({Outcome.ERROR, Outcome.LOADING, Outcome.DEADLINE})


@dataclass(frozen=True, slots=True)
class Asked:
    """A cursor in an open document.

    Attributes:
        path: of the document; it need not exist.
        language: LSP id.
        before, after: the text round the cursor.
        root: the workspace; None outside of any.
        lookup: what the prompt may ask about other files.
        context: settings of the prompt, in place of the product's; None for those.
    """

    path: Path
    language: str
    before: str
    after: str
    root: Path | None = None
    lookup: IndexLookup = field(default_factory=NoIndex)
    context: ContextSettings | None = None


def unhurried(settings: Settings) -> Settings:
    """The settings without what depends on how fast or how busy this machine is.

    Prompts are as long as `context.max_tokens` says, unless somebody has set how long they may take to be read.
    """
    chosen = settings.context.model_fields_set
    longest = {"cold_ms": _COLD_MS, "key_ms": _KEY_MS}
    context = settings.context.model_copy(update={name: value for name, value in longest.items() if name not in chosen})
    completion = settings.completion.model_copy(
        update={"deadline_ms": _DEADLINE_MS, "follow_up": "off", "ignored_files": True, "semantic_cache_mb": 0}
    )
    model = settings.model.model_copy(update={"n_slots": 1, "cache_disk_mb": 0, "idle_unload_s": 0.0})
    return settings.model_copy(update={"context": context, "completion": completion, "model": model})


class Product:
    """Asks one engine; used on the loop's thread."""

    def __init__(self, engine: Engine, model: Model, settings: Settings, clock: Clock) -> None:
        self._engine = engine
        self._model = model
        self._settings = settings
        self._clock = clock
        self._languages = Languages.default()

    @property
    def context(self) -> ContextSettings:
        """Settings of the prompts."""
        return self._settings.context

    @property
    def model_name(self) -> str:
        """Of the model that is loaded: a manifest's name, or a path."""
        return self._model.prepared.name if self._model.prepared is not None else "a substitute"

    @property
    def effective(self) -> dict[str, str]:
        """The model's settings as they are in force, with how it is asked."""
        info, vocabulary = self._engine.info, self._engine.vocabulary
        if info is None or vocabulary is None:
            return {}
        return {**info.effective, "order": self._model.profile_of(vocabulary).order.value}

    async def suggest(self, asked: Asked) -> CompletionResult:
        """What would be shown at a cursor.

        Raises:
            EngineError: the engine failed, so that nothing after this would count.
        """
        # A service of its own for each question, so that no kept answer is one to another question.
        service = CompletionService(
            self._engine, ContextBuilder(asked.lookup), SpanLog(), self._model.profile_of, self._clock
        )
        result = await service.complete(self._request(asked))
        if result.span.outcome in _FAILED:
            raise EngineError(f"the model failed at {asked.path.name} ({result.span.reason})")
        return result

    def _request(self, asked: Asked) -> CompletionRequest:
        text = Text.of(asked.before + asked.after)
        language = self._languages.by_id(asked.language)
        return CompletionRequest(
            client="eval",
            document=Document(asked.path.as_uri(), asked.path, asked.language, 1, text),
            offset=len(asked.before.encode()),
            root=asked.root,
            trigger=Trigger.INVOKED,
            settings=self._settings.completion,
            context=asked.context or self._settings.context,
            facts=None if language is None else extract(language.name, text.content),
        )


@contextlib.asynccontextmanager
async def open_product(
    paths: Paths, settings: Settings, substitute: BackendFactory | None = None
) -> AsyncIterator[Product]:
    """Load the model that `settings` choose, and give its memory back; `substitute` loads in place of llama.cpp.

    Raises:
        ModelLoadError: it cannot be had or loaded.
    """
    clock = SystemClock()
    chosen = unhurried(settings)
    model = Model(Catalogue(paths), chosen.model, substitute)
    async with loaded_engine(model, chosen.model, clock) as engine:
        yield Product(engine, model, chosen, clock)

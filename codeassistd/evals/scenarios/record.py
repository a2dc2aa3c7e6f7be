"""Asks a real model at the cursors of scenarios, and keeps what it says to the end: more than the program would take.

In this process: the prompt is the one that the program makes, with an index of the small project, and nothing is
stopped, cut or judged, so that all of that can change without another recording.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.clock import SystemClock
from codeassistd.completion.asking import Asking
from codeassistd.completion.policy import Silence
from codeassistd.completion.types import CompletionRequest, Trigger
from codeassistd.config import CompletionSettings, ContextSettings, IndexSettings, ModelSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.daemon.model import Model
from codeassistd.documents.document import Document
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState, FinishReason, Token
from codeassistd.errors import EngineError, ModelLoadError, UsageError
from codeassistd.evals.scenarios.conversation import write_project
from codeassistd.evals.scenarios.raw_texts import RawText
from codeassistd.evals.scenarios.scenario import Scenario
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import IndexLookup
from codeassistd.paths import Paths
from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages
from codeassistd.testing.replay_backend import Said
from codeassistd.text import Text

__all__ = ["record"]

_POLL_S = 0.05
_INDEX_S = 60.0
#: The same on every machine: a slow one must not be given a shorter prompt here.
_CONTEXT = ContextSettings(max_tokens=1024, cold_ms=60_000)


def record(
    scenarios: Sequence[Scenario], user: Paths, settings: ModelSettings, on_scenario: Callable[[], None]
) -> dict[str, RawText]:
    """What the model that `settings` choose says in each scenario, by title; blocks.

    Raises:
        ModelError: it cannot be had or loaded.
        EngineError: it failed.
    """
    # Drafts and threads change nothing that is said; one sequence at a time is enough.
    settings = settings.model_copy(update={"n_slots": 1})
    model = Model(Catalogue(user), settings)
    engine = Engine(model.load, SystemClock(), options=EngineOptions.from_settings(settings))
    engine.start()
    try:
        return asyncio.run(_record_all(scenarios, engine, model, on_scenario))
    finally:
        engine.stop()


async def _record_all(
    scenarios: Sequence[Scenario], engine: Engine, model: Model, on_scenario: Callable[[], None]
) -> dict[str, RawText]:
    clock, texts = SystemClock(), {}
    while (status := engine.status()).state is EngineState.LOADING:
        await clock.sleep(_POLL_S)
    if status.state is not EngineState.READY or model.prepared is None:
        raise ModelLoadError(status.detail or "no model is chosen; see `codeassistd model list`")
    for files, group in groupby(scenarios, key=lambda scenario: scenario.files):
        with tempfile.TemporaryDirectory(prefix="codeassistd-") as folder, _indexed(Path(folder), files) as lookup:
            asking = Asking(engine, ContextBuilder(lookup), model.profile_of, clock)
            for scenario in group:
                tokens = await _said(scenario.first_request(), asking, Path(folder))
                texts[scenario.title] = RawText(model.prepared.name, _written(tokens))
                on_scenario()
    return texts


@contextlib.contextmanager
def _indexed(root: Path, files: Mapping[str, str]) -> Iterator[IndexLookup]:
    """An index of the files that stand beside the documents."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    with tempfile.TemporaryDirectory(prefix="codeassistd-") as home:
        indexer = Indexer(
            Paths.resolve({"CODEASSISTD_HOME": home}), IndexSettings(watch="off"), SystemClock(), lambda: None
        )
        indexer.start()
        try:
            indexer.add_workspace(root)
            if not indexer.wait_idle(_INDEX_S):
                raise UsageError(f"a project of a few files is not indexed after {_INDEX_S:g} s; try again")
            yield indexer.lookup
        finally:
            indexer.stop()


async def _said(scenario: Scenario, asking: Asking, root: Path) -> list[Token]:
    """All that the model says, as if asked by hand."""
    write_project(scenario, root)
    text = Text.of("".join(f"{cell}\n" for cell in scenario.cells) + scenario.opened.text)
    offset = len(text) - len(scenario.opened.after.encode())
    language = Languages.default().by_id(scenario.language)
    path = root / scenario.file
    request = CompletionRequest(
        client="record",
        document=Document(path.as_uri(), path, scenario.language, 1, text),
        offset=offset,
        root=root,
        trigger=Trigger.INVOKED,
        settings=CompletionSettings(),
        context=_CONTEXT,
        facts=None if language is None else extract(language.name, text.content),
    )
    model = asking.model()
    if isinstance(model, Silence):
        raise EngineError(model.reason)
    generation = asking.answer(asking.prompt(request, model), request.client)
    tokens = [token async for token in generation]
    if generation.ending is None or generation.ending.reason is FinishReason.ERROR:
        raise EngineError(f"the engine failed in {scenario.title}; see `codeassistd doctor`")
    return tokens


def _written(tokens: Sequence[Token]) -> tuple[Said, ...]:
    """Tokens that complete no letter are told with the one that does."""
    said: list[Said] = []
    logprob, margin = 0.0, float("inf")
    for token in tokens:
        logprob, margin = logprob + min(0.0, token.logprob), min(margin, max(0.0, token.margin))
        if token.text:
            said.append(Said(token.text, round(logprob, 3), round(margin, 3)))
            logprob, margin = 0.0, float("inf")
    return tuple(said)

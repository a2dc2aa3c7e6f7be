"""Measures settings by typing in the interpreter's own library, and by how likely the model finds what stands there.

Two desks stand side by side while a change is compared, so both models are in memory for that time; where there is no
room for both, the change cannot be tried.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from codeassistd.bench.engine.corpus import library_file
from codeassistd.bench.keystrokes import TypingScript, make_script
from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config import Settings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.types import ContextRequest
from codeassistd.daemon.model import Model
from codeassistd.daemon.tuned import TypingSpeed
from codeassistd.documents.document import Document
from codeassistd.engine.backend import BackendFactory
from codeassistd.errors import EngineError, ModelLoadError
from codeassistd.evals.context.reader import Reader
from codeassistd.index.types import NoIndex
from codeassistd.metrics.stats import percentile
from codeassistd.paths import Paths
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text
from codeassistd.tuning.desk import Desk, TypedKey, open_desk
from codeassistd.tuning.tuner import Pairs

__all__ = ["Extent", "LibraryMeasure", "scripts", "typing_scripts"]

_FILES = ("argparse.py", "calendar.py", "configparser.py", "difflib.py", "mailbox.py", "pickletools.py", "tarfile.py")
_LANGUAGE = "python"
_N_KEYS = 12
"""Keys of a block: enough for the prompt to be warm, few enough for many places to be seen."""
_N_TRUTH = 24
"""Tokens of the truth that are judged there."""
_N_OUTPUT = 64
_NO_DEADLINE_MS = 60_000
_PLACES_SEED = 1000
"""Away from the places that are typed at."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        n_blocks: blocks of keys that say how fast typing is as a whole.
        n_places: places that quality is judged at; each costs the reading of a prompt.
    """

    n_blocks: int = 12
    n_places: int = 24


class LibraryMeasure:
    """Implements `tuner.Measure`.

    Args:
        paths: where models lie.
        substitute: loads in place of llama.cpp, for tests.
        extent: how much is measured.
    """

    def __init__(self, paths: Paths, substitute: BackendFactory | None = None, extent: Extent | None = None) -> None:
        self._paths = paths
        self._substitute = substitute
        self._extent = extent or Extent()

    def typing(self, settings: Settings) -> TypingSpeed:
        """How fast keys are answered that a rule does not keep silent."""

        async def work() -> list[TypedKey]:
            async with open_desk(self._paths, settings, self._substitute) as desk:
                return [key for script in scripts(0, self._extent.n_blocks) for key in await _typed(desk, script)]

        return _speed(asyncio.run(work()))

    def typing_both(self, before: Settings, after: Settings) -> tuple[TypingSpeed, TypingSpeed]:
        """The same keys at two desks by turns."""

        async def work() -> list[tuple[TypedKey, TypedKey]]:
            async with contextlib.AsyncExitStack() as desks:
                one, other = await self._open_both(desks, before, after)
                blocks = [await _typed_by_turns(one, other, script) for script in scripts(0, self._extent.n_blocks)]
            return [keys for block in blocks for keys in block]

        typed = asyncio.run(work())
        return _speed([mine for mine, _ in typed]), _speed([its for _, its in typed])

    def compare(self, before: Settings, after: Settings, first: int) -> Pairs:
        """The keys of each block that asked the engine at both desks."""
        with asyncio.Runner() as runner, contextlib.ExitStack() as cleanup:
            desks = contextlib.AsyncExitStack()
            cleanup.callback(lambda: runner.run(desks.aclose()))
            one, other = runner.run(self._open_both(desks, _unhurried(before), _unhurried(after)))
            for number in itertools.count(first):
                (script,) = scripts(number, 1)
                keys = runner.run(_typed_by_turns(one, other, script))
                yield [(mine.ms, its.ms) for mine, its in keys if mine.has_asked and its.has_asked]

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        """Of the next tokens at set places, behind the prompts that these settings make there."""
        model = Model(Catalogue(self._paths), settings.model.model_copy(update={"n_slots": 1}), self._substitute)
        with contextlib.closing(model.load(lambda _share: True)) as backend:
            vocabulary, reader = backend.vocabulary, Reader(backend)
            profile, builder = model.profile_of(vocabulary), ContextBuilder(NoIndex())
            judged = []
            for request, truth in _places(settings, backend.info.n_ctx, self._extent.n_places):
                tokens = vocabulary.tokenize(truth)[:_N_TRUTH]
                judged.append(reader.nll(builder.build(request, vocabulary, profile).ids, tokens))
            return judged

    async def _open_both(
        self, desks: contextlib.AsyncExitStack, before: Settings, after: Settings
    ) -> tuple[Desk, Desk]:
        one = await desks.enter_async_context(open_desk(self._paths, before, self._substitute))
        other = await desks.enter_async_context(open_desk(self._paths, after, self._substitute))
        fallbacks = [line for line in other.warnings if line not in one.warnings]
        if fallbacks:
            # It would be measured in place of what was asked for, and kept under its name.
            raise ModelLoadError("; ".join(fallbacks))
        return one, other


def _unhurried(settings: Settings) -> Settings:
    """The same without a deadline, by which all slow keys would be equally slow."""
    completion = settings.completion.model_copy(update={"deadline_ms": _NO_DEADLINE_MS})
    return settings.model_copy(update={"completion": completion})


def _speed(keys: Sequence[TypedKey]) -> TypingSpeed:
    """How fast keys were answered, but for those that a rule keeps silent without asking anybody."""
    times = [key.ms for key in keys if key.has_asked or not key.is_silent]
    p50, p90 = percentile(times, 50), percentile(times, 90)
    if p50 is None or p90 is None:
        raise EngineError("none of the typed keys was answered; nothing can be measured with these settings")
    return TypingSpeed(p50, p90, len(times))


async def _typed(desk: Desk, script: TypingScript) -> list[TypedKey]:
    keys = desk.keys(script)
    return [await _key(desk, keys) for _ in script.keys]


async def _typed_by_turns(one: Desk, other: Desk, script: TypingScript) -> list[tuple[TypedKey, TypedKey]]:
    """Each key at both desks, one right after the other, by turns: the machine changes within a block too."""
    mine, its = one.keys(script), other.keys(script)
    typed: list[tuple[TypedKey, TypedKey]] = []
    for number in range(len(script.keys)):
        if number % 2:
            right = await _key(other, its)
            left = await _key(one, mine)
        else:
            left = await _key(one, mine)
            right = await _key(other, its)
        typed.append((left, right))
    return typed


async def _key(desk: Desk, keys: AsyncIterator[TypedKey]) -> TypedKey:
    """The next key of a desk, which then leaves the processor to the other one."""
    key = await anext(keys)
    await desk.rest()
    return key


def typing_scripts() -> Iterator[TypingScript]:
    """What `LibraryMeasure.typing` types unless it is told otherwise; raises like `scripts`."""
    return scripts(0, Extent().n_blocks)


def scripts(first: int, n_scripts: int) -> Iterator[TypingScript]:
    """Stretches to type, by number: the files in turn, each round at other places.

    Raises:
        UsageError: this interpreter comes without the sources of its library.
    """
    for number in range(first, first + n_scripts):
        path = library_file(_FILES[number % len(_FILES)])
        yield make_script(path, _LANGUAGE, path.read_text("utf-8"), _N_KEYS, number)


def _places(settings: Settings, n_ctx: int, n_places: int) -> Iterator[tuple[ContextRequest, str]]:
    """Cursors in the middle of stretches, and what the file goes on with; one file after the other, to read less."""
    facts = DocumentFacts(Languages.default())
    numbers = sorted(range(n_places), key=lambda number: number % len(_FILES))
    for script in (script for number in numbers for script in scripts(_PLACES_SEED + number, 1)):
        before = Text.of(script.before + script.typed(_N_KEYS // 2))
        text = Text.of(str(before) + script.after)
        uri = script.path.as_uri()
        request = ContextRequest(
            document=Document(uri, script.path, _LANGUAGE, 0, text),
            offset=len(before),
            root=script.path.parent,
            facts=facts.facts(uri, _LANGUAGE, text),
            settings=settings.context,
            n_output=_N_OUTPUT,
            n_max=n_ctx,
        )
        yield request, script.ahead(_N_KEYS // 2)

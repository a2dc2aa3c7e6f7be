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
from codeassistd.tuning.tuner import Stretches

__all__ = ["Extent", "LibraryMeasure", "long_scripts", "scripts"]

_FILES = ("argparse.py", "calendar.py", "configparser.py", "difflib.py", "mailbox.py", "pickletools.py", "tarfile.py")
_LANGUAGE = "python"
_N_KEYS = 12
"""Keys of a block: enough for the prompt to be warm, few enough for many places to be seen."""
_N_COMPARED = 20
"""Keys of a stretch that is compared: reading its prompt costs as much as a dozen of them."""
_N_ROUND = 4
"""Stretches that two desks are typed at before both are opened anew."""
_N_LONG = 50
"""Keys in each of the files that say how fast typing is, as the recorded figures of llama.cpp's server have them."""
_N_TRUTH = 24
"""Tokens of the truth that are judged there."""
_N_OUTPUT = 64
_NO_DEADLINE_MS = 60_000
_PLACES_SEED = 1000
_LONG_SEED = 2000
"""Both away from the places that are compared."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        n_blocks: blocks of keys of `typing`.
        n_files: that `speeds` types in, and `n_keys` in each.
        n_places: places that quality is judged at; each costs the reading of a prompt.
    """

    n_blocks: int = 12
    n_files: int = 6
    n_keys: int = _N_LONG
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
        """How fast keys of short blocks are answered that a rule does not keep silent."""

        async def work() -> list[TypedKey]:
            async with open_desk(self._paths, settings, self._substitute) as desk:
                return [key for script in scripts(0, self._extent.n_blocks) for key in await _typed(desk, script)]

        return _speed(asyncio.run(work()))

    def speeds(self, *settings: Settings) -> list[TypingSpeed]:
        """How fast suggestions come in long stretches; without any, how fast keys are answered that asked the model."""

        async def work() -> list[tuple[TypedKey, ...]]:
            async with contextlib.AsyncExitStack() as stack:
                desks = await self._open(stack, settings)
                _refuse_fallbacks(desks)
                typed = []
                for number, script in enumerate(long_scripts(self._extent)):
                    typed += await _typed_by_turns(desks, script, number)
            return typed

        return [_shown_speed(keys) for keys in zip(*asyncio.run(work()), strict=True)]

    def compare(self, before: Settings, after: Settings, first: int) -> Stretches:
        """The keys of each stretch that asked the engine at both desks.

        Two desks with the same settings may differ for as long as they stand: by where their memory lies, and by what
        they learned of the machine at a bad moment. So they are opened anew after some stretches, the other one first.
        """
        for number in itertools.count(first - first % _N_ROUND, _N_ROUND):
            numbers = range(max(number, first), number + _N_ROUND)
            yield from self._compared(_unhurried(before), _unhurried(after), numbers)

    def _compared(self, before: Settings, after: Settings, numbers: range) -> Stretches:
        is_after_first = numbers.stop // _N_ROUND % 2 == 0
        with asyncio.Runner() as runner, contextlib.ExitStack() as cleanup:
            stack = contextlib.AsyncExitStack()
            cleanup.callback(lambda: runner.run(stack.aclose()))
            desks = runner.run(self._open(stack, (after, before) if is_after_first else (before, after)))
            if is_after_first:
                desks.reverse()
            _refuse_fallbacks(desks)
            for number in numbers:
                (script,) = scripts(number, 1, _N_COMPARED)
                keys = runner.run(_typed_by_turns(desks, script, number))
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

    async def _open(self, stack: contextlib.AsyncExitStack, settings: Sequence[Settings]) -> list[Desk]:
        return [await stack.enter_async_context(open_desk(self._paths, each, self._substitute)) for each in settings]


def _refuse_fallbacks(desks: Sequence[Desk]) -> None:
    """See that all have what was asked for, as far as the first has: else something else would be kept by its name."""
    fallbacks = [line for desk in desks for line in desk.warnings if line not in desks[0].warnings]
    if fallbacks:
        raise ModelLoadError("; ".join(fallbacks))


def _unhurried(settings: Settings) -> Settings:
    """The same without a deadline, by which all slow keys would be equally slow."""
    completion = settings.completion.model_copy(update={"deadline_ms": _NO_DEADLINE_MS})
    return settings.model_copy(update={"completion": completion})


def _speed(keys: Sequence[TypedKey]) -> TypingSpeed:
    """How fast keys were answered, but for those that a rule keeps silent without asking anybody."""
    return _speed_of([key.ms for key in keys if key.has_asked or not key.is_silent])


def _shown_speed(keys: Sequence[TypedKey]) -> TypingSpeed:
    """How fast suggestions came, as `bench typing` counts; without any, how fast the model's answers did."""
    shown = [key.ms for key in keys if key.is_shown]
    return _speed_of(shown or [key.ms for key in keys if key.has_asked])


def _speed_of(times: Sequence[float]) -> TypingSpeed:
    p50, p90 = percentile(times, 50), percentile(times, 90)
    if p50 is None or p90 is None:
        raise EngineError("none of the typed keys was answered; nothing can be measured with these settings")
    return TypingSpeed(p50, p90, len(times))


async def _typed(desk: Desk, script: TypingScript) -> list[TypedKey]:
    keys = desk.keys(script)
    return [await _key(desk, keys) for _ in script.keys]


async def _typed_by_turns(desks: Sequence[Desk], script: TypingScript, number: int) -> list[tuple[TypedKey, ...]]:
    """Each key at all desks, one right after the other: the machine changes within a stretch too.

    Who is first changes with each key and each stretch, whose number that is: who comes after the other one finds the
    processor's caches full of what that one read.
    """
    at_desks = [(desk, desk.keys(script)) for desk in desks]
    typed: list[tuple[TypedKey, ...]] = []
    for n_before in range(len(script.keys)):
        if (number + n_before) % 2:
            typed.append(tuple(reversed([await _key(desk, keys) for desk, keys in reversed(at_desks)])))
        else:
            typed.append(tuple([await _key(desk, keys) for desk, keys in at_desks]))
    return typed


async def _key(desk: Desk, keys: AsyncIterator[TypedKey]) -> TypedKey:
    """The next key of a desk, which then leaves the processor to the other one."""
    key = await anext(keys)
    await desk.rest()
    return key


def long_scripts(extent: Extent | None = None) -> Iterator[TypingScript]:
    """What `LibraryMeasure.speeds` types; raises like `scripts`."""
    extent = extent or Extent()
    return scripts(_LONG_SEED, extent.n_files, extent.n_keys)


def scripts(first: int, n_scripts: int, n_keys: int = _N_KEYS) -> Iterator[TypingScript]:
    """Stretches to type, by number: the files in turn, each round at other places.

    Raises:
        UsageError: this interpreter comes without the sources of its library.
    """
    for number in range(first, first + n_scripts):
        path = library_file(_FILES[number % len(_FILES)])
        yield make_script(path, _LANGUAGE, path.read_text("utf-8"), n_keys, number)


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

"""Typed keys without an editor: the prompts that typing gives, and what the engine makes of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from codeassistd.bench.engine.corpus import library_file
from codeassistd.bench.engine.measured import Effort, Measured
from codeassistd.bench.engine.rig import Rig
from codeassistd.bench.keystrokes import make_script
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.types import ContextRequest
from codeassistd.documents.document import Document
from codeassistd.engine.request import Priority
from codeassistd.index.types import NoIndex
from codeassistd.metrics.stats import percentile, share
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["interactive_p90_ratio", "key_prompts", "prefix_reuse"]

_FILE = "textwrap.py"
_SEED = 1
_N_OUTPUT = 8
"""Tokens that a key's answer takes: about a line's rest."""
_N_KEYS_A_BLOCK = 10
_N_BACKGROUND = 8
_BACKGROUND_PROMPT = 1500
_BACKGROUND_OUTPUT = 200


async def prefix_reuse(rig: Rig, effort: Effort) -> Measured:
    """Share of the prompts' tokens that the engine did not have to read, over typed keys, by its own counts."""
    n_prompt = n_cached = 0
    prompts = key_prompts(rig, effort.n_keys + 1)
    # Nobody has read anything when a file is opened.
    await rig.generate(next(prompts), _N_OUTPUT)
    for prompt in prompts:
        ending = (await rig.generate(prompt, _N_OUTPUT)).ending
        n_prompt += ending.n_prompt
        n_cached += ending.n_cached
    return Measured({"prefix_reuse": share(n_cached, n_prompt)})


async def interactive_p90_ratio(rig: Rig, effort: Effort) -> Measured:
    """How much slower keys are answered while long work goes on in the background: by turns without and with it."""
    idle: list[float] = []
    busy: list[float] = []
    prompts = key_prompts(rig, 2 * _N_KEYS_A_BLOCK * effort.n_blocks + 1)
    await rig.generate(next(prompts), _N_OUTPUT)
    for _ in range(effort.n_blocks):
        idle += [(await rig.generate(next(prompts), _N_OUTPUT)).total_ms for _ in range(_N_KEYS_A_BLOCK)]
        async with _background(rig):
            busy += [(await rig.generate(next(prompts), _N_OUTPUT)).total_ms for _ in range(_N_KEYS_A_BLOCK)]
    p90_idle, p90_busy = percentile(idle, 90), percentile(busy, 90)
    ratio = p90_busy / p90_idle if p90_busy is not None and p90_idle else None
    return Measured({"interactive_p90_ratio": ratio, "key_p90_ms_idle": p90_idle, "key_p90_ms_busy": p90_busy})


def key_prompts(rig: Rig, n_prompts: int) -> Iterator[tuple[int, ...]]:
    """The prompts of a file as it is typed in, key by key, the first from before the first key.

    The file is parsed again at each new line, as it would be in a pause of the typing.
    """
    path = library_file(_FILE)
    script = make_script(path, "python", path.read_text("utf-8"), n_prompts, _SEED)
    builder, parsed = ContextBuilder(NoIndex()), DocumentFacts(Languages.default())
    uri = path.as_uri()
    facts = None
    for n_keys in range(n_prompts):
        before = Text.of(script.before + script.typed(n_keys))
        text = Text.of(str(before) + script.after)
        if facts is None or script.keys[n_keys - 1].startswith(("\n", "\r")):
            facts = parsed.facts(uri, script.language, text)
        request = ContextRequest(
            document=Document(uri, path, script.language, n_keys, text),
            offset=len(before),
            root=path.parent,
            facts=facts,
            settings=rig.context,
            n_output=_N_OUTPUT,
            n_max=rig.info.n_ctx,
        )
        yield builder.build(request, rig.vocabulary, rig.profile).ids


@contextlib.asynccontextmanager
async def _background(rig: Rig) -> AsyncIterator[None]:
    """Keep long work going on meanwhile; it is taken back at the end."""
    running = [asyncio.create_task(_work(rig, number)) for number in range(_N_BACKGROUND)]
    try:
        yield
    finally:
        for task in running:
            task.cancel()
        # What failed was measured wrongly, so it must be told.
        for outcome in await asyncio.gather(*running, return_exceptions=True):
            if not isinstance(outcome, asyncio.CancelledError) and isinstance(outcome, BaseException):
                raise outcome


async def _work(rig: Rig, number: int) -> None:
    """One piece of long work after the other, until cancelled."""
    n_prompt = min(_BACKGROUND_PROMPT, rig.info.n_ctx - _BACKGROUND_OUTPUT)
    while True:
        generation = rig.submit(
            rig.corpus.take(n_prompt),
            _BACKGROUND_OUTPUT,
            client=f"background {number}",
            priority=Priority.BACKGROUND,
        )
        try:
            await rig.follow(generation, rig.clock.monotonic_s())
        except asyncio.CancelledError:
            generation.cancel()
            await rig.follow(generation, rig.clock.monotonic_s())
            raise

"""What of a prompt need not be read again after the engine was started anew."""

from __future__ import annotations

import tempfile
from pathlib import Path

from codeassistd.bench.engine.keys import key_prompts
from codeassistd.bench.engine.measured import Effort, Measured
from codeassistd.bench.engine.rig import Rig
from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState, GenerateRequest, SamplingParams
from codeassistd.errors import EngineError
from codeassistd.metrics.stats import share

__all__ = ["restart_reuse"]

_DISK_BYTES = 2**30
_POLL_S = 0.01


async def restart_reuse(rig: Rig, effort: Effort) -> Measured:
    """Share of the first prompt after a restart that was brought back: a key is typed before it, and the next after."""
    del effort
    before, after = key_prompts(rig, 2)
    with tempfile.TemporaryDirectory() as home:
        options = EngineOptions(limits=CacheLimits(disk_bytes=_DISK_BYTES, folder=Path(home) / "kv"))
        await _first(rig, rig.new_engine(options), before)
        n_cached, first_ms = await _first(rig, rig.new_engine(options), after)
    return Measured({"restart_reuse": share(n_cached, len(after)), "restart_first_ms": first_ms})


async def _first(rig: Rig, engine: Engine, prompt: tuple[int, ...]) -> tuple[int, float]:
    """Start an engine, have it read one prompt, and stop it: tokens that it had already, and milliseconds to the first.

    Raises:
        EngineError: it did not start, or did not answer.
    """
    engine.start()
    try:
        while (status := engine.status()).state is EngineState.LOADING:
            await rig.clock.sleep(_POLL_S)
        if status.state is not EngineState.READY:
            raise EngineError(f"the engine did not start again: {status.detail}")
        generation = engine.submit(GenerateRequest(prompt, SamplingParams(max_tokens=1), client="bench"))
        async for _token in generation:
            pass
        if generation.ending is None:
            raise EngineError("the engine did not answer after its restart")
        return generation.ending.n_cached, generation.ending.ttft_ms
    finally:
        engine.stop()

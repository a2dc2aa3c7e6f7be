"""How fast the engine lets go of what nobody wants any more."""

from __future__ import annotations

import random

from codeassistd.bench.engine.measured import Effort, Measured
from codeassistd.bench.engine.rig import Rig
from codeassistd.engine.request import FinishReason
from codeassistd.metrics.stats import percentile

__all__ = ["cancel_to_idle_ms"]

_N_PROMPT = 512
_N_OUTPUT = 48
_SEED = 1
_POLL_S = 0.0005


async def cancel_to_idle_ms(rig: Rig, effort: Effort) -> Measured:
    """From a cancel to the moment when nothing runs: at random times, while reading and while writing."""
    n_prompt = min(_N_PROMPT, rig.info.n_ctx - _N_OUTPUT)
    whole_s = (await rig.generate(rig.corpus.take(n_prompt), _N_OUTPUT)).total_ms / 1000
    draws = random.Random(_SEED)  # noqa: S311 - moments, not secrets
    found: list[float] = []
    for _ in range(effort.n_cancels):
        generation = rig.submit(rig.corpus.take(n_prompt), _N_OUTPUT)
        await rig.clock.sleep(draws.uniform(0, whole_s))
        cancelled_s = rig.clock.monotonic_s()
        generation.cancel()
        generated = await rig.follow(generation, cancelled_s)
        while rig.engine.status().n_running:
            await rig.clock.sleep(_POLL_S)
        if generated.ending.reason is FinishReason.ABORTED:  # else it ended by itself before
            found.append(1000 * (rig.clock.monotonic_s() - cancelled_s))
    return Measured(
        {
            "cancel_to_idle_ms_p50": percentile(found, 50),
            "cancel_to_idle_ms_p99": percentile(found, 99),
            "n_cancels": len(found),
        }
    )

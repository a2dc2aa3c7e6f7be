"""What several streams at once write together, against one alone."""

from __future__ import annotations

import asyncio

from codeassistd.bench.engine.measured import Effort, Measured, ratio_row
from codeassistd.bench.engine.rig import Generated, Rig
from codeassistd.metrics.stats import median, paired_ratio

__all__ = ["N_STREAMS", "batch8_throughput_ratio", "throughput"]

#: Streams at once; the last is that of the figure.
N_STREAMS = (1, 2, 4, 8)
_N_PROMPT = 64
_N_OUTPUT = 32


async def batch8_throughput_ratio(rig: Rig, effort: Effort) -> Measured:
    """Tokens per second of 1 and 8 streams, one right after the other; in some of the rounds of 2 and 4 too."""
    rates: dict[int, list[float]] = {n_streams: [] for n_streams in N_STREAMS}
    for number in range(effort.n_pairs):
        streams = N_STREAMS if number < effort.n_repeats else (N_STREAMS[0], N_STREAMS[-1])
        found = {n_streams: throughput(await _together(rig, n_streams)) for n_streams in streams}
        if None in found.values():
            continue  # a stream ended before all had begun
        for n_streams, rate in found.items():
            rates[n_streams].append(rate or 0.0)
    if not rates[1]:
        return Measured({"batch8_throughput_ratio": None})
    ratio = paired_ratio(rates[N_STREAMS[-1]], rates[1])
    curve = [
        {"table": "batching", "n_streams": n_streams, "tokens_per_s": median(of_rounds)}
        for n_streams, of_rounds in rates.items()
    ]
    return Measured({"batch8_throughput_ratio": ratio.value}, [ratio_row("batch8_throughput_ratio", ratio), *curve])


def throughput(streams: list[Generated]) -> float | None:
    """Tokens per second of all streams, in the time in which all of them were writing; None if there was none."""
    if not all(stream.n_output for stream in streams):
        return None
    begun_s = max(stream.token_s[0] for stream in streams)
    ended_s = min(stream.token_s[-1] for stream in streams)
    if ended_s <= begun_s:
        return None
    n_tokens = sum(begun_s < token_s <= ended_s for stream in streams for token_s in stream.token_s)
    return n_tokens / (ended_s - begun_s)


async def _together(rig: Rig, n_streams: int) -> list[Generated]:
    prompts = [rig.corpus.take(_N_PROMPT) for _ in range(n_streams)]
    # Of clients of their own: the engine may hold back one that wants much.
    running = [rig.generate(prompt, _N_OUTPUT, client=f"bench {number}") for number, prompt in enumerate(prompts)]
    return list(await asyncio.gather(*running))

"""The engine against the bare loop: what scheduling, threads and streams cost.

By turns which of the two comes first, so that a machine that becomes slower or faster favours neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from codeassistd.bench.engine.measured import Effort, Measured, ratio_row
from codeassistd.bench.engine.rig import Rig
from codeassistd.errors import EngineError
from codeassistd.metrics.stats import median, paired_ratio

__all__ = ["decode_ratio", "prefill_ratio"]

_N_PROMPT = 128
_N_OUTPUT = 64
_N_READ = 512
_TRIES = 4
"""Prompts that are tried for each pair: after some the model ends before it has written enough."""


async def decode_ratio(rig: Rig, effort: Effort) -> Measured:
    """Tokens per second of one stream, from its first token to its last."""
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(_TRIES * effort.n_pairs):
        prompt = rig.corpus.take(_N_PROMPT)
        bare_s = 0.0 if number % 2 else _bare_writing_s(rig, prompt)
        generated = await rig.generate(prompt, _N_OUTPUT)
        rate = generated.tokens_per_s
        if generated.n_output < _N_OUTPUT or rate is None:
            continue
        ours.append(rate)
        theirs.append((_N_OUTPUT - 1) / (bare_s or _bare_writing_s(rig, prompt)))
        if len(ours) == effort.n_pairs:
            break
    if not ours:
        raise EngineError(f"this model never writes {_N_OUTPUT} tokens after {_N_PROMPT} tokens of Python")
    ratio = paired_ratio(ours, theirs)
    figures = {
        "decode_ratio": ratio.value,
        "decode_tokens_per_s": median(ours),
        "bare_decode_tokens_per_s": median(theirs),
    }
    return Measured(figures, [ratio_row("decode_ratio", ratio)])


async def prefill_ratio(rig: Rig, effort: Effort) -> Measured:
    """Tokens per second of reading a prompt that nothing knows yet, from the request to the first token."""
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(effort.n_pairs):
        prompt = rig.corpus.take(_N_READ)
        bare_s = 0.0 if number % 2 else rig.timed_s(partial(rig.bare.read, prompt))
        generated = await rig.generate(prompt, 1)
        # The model may end at once, which takes it as long.
        first_s = generated.token_s[0] if generated.token_s else generated.ended_s
        ours.append(_N_READ / (first_s - generated.submitted_s))
        theirs.append(_N_READ / (bare_s or rig.timed_s(partial(rig.bare.read, prompt))))
    ratio = paired_ratio(ours, theirs)
    figures = {
        "prefill_ratio": ratio.value,
        "prefill_tokens_per_s": median(ours),
        "bare_prefill_tokens_per_s": median(theirs),
    }
    return Measured(figures, [ratio_row("prefill_ratio", ratio)])


def _bare_writing_s(rig: Rig, prompt: Sequence[int]) -> float:
    """How long the bare loop takes from its first token to its last; it does not stop where the text ends."""
    rig.bare.read(prompt)
    return rig.timed_s(partial(rig.bare.write, _N_OUTPUT - 1))

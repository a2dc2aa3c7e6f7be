"""What one step costs: by its number of tokens, and by the tokens that other sequences hold in the cache."""

from __future__ import annotations

from collections.abc import Sequence

from codeassistd.bench.engine.measured import Effort, Measured, Row
from codeassistd.bench.engine.rig import Rig
from codeassistd.engine.backend import Backend, Batch
from codeassistd.metrics.stats import median

__all__ = ["step_ms_by_others", "step_ms_by_tokens"]

_DEPTH = 256
_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512)
_HELD = (0, 512, 1024, 1536)


async def step_ms_by_tokens(rig: Rig, effort: Effort) -> Measured:
    """Milliseconds of a step of so many tokens of one sequence, each with its scores, as when drafts are verified."""
    backend, prompt = rig.backend, rig.corpus.take(_DEPTH)
    more = rig.corpus.take(_WIDTHS[-1])
    backend.clear()
    _read(backend, 0, 0, prompt)
    rows: list[Row] = []
    for width in _WIDTHS:
        if width > rig.info.n_batch or _DEPTH + width > rig.info.n_ctx:
            break
        ms = [_step_ms(rig, 0, _DEPTH, more[:width]) for _ in range(effort.n_repeats)]
        rows.append({"table": "step_ms_by_tokens", "n_tokens": width, "ms": median(ms)})
    backend.clear()
    return Measured({"step_ms_1": _ms_at(rows, 1), "step_ms_4": _ms_at(rows, 4), "step_ms_8": _ms_at(rows, 8)}, rows)


async def step_ms_by_others(rig: Rig, effort: Effort) -> Measured:
    """Milliseconds of a step of one token while another sequence holds so many in the cache."""
    backend = rig.backend
    backend.clear()
    _read(backend, 0, 0, rig.corpus.take(_DEPTH))
    token = rig.corpus.take(1)
    rows: list[Row] = []
    n_held = 0
    for n_wanted in _HELD:
        if n_wanted > rig.info.n_ctx or rig.info.n_slots < 2:  # noqa: PLR2004 - ours and another's
            break
        _read(backend, 1, n_held, rig.corpus.take(n_wanted - n_held))
        n_held = n_wanted
        ms = [_step_ms(rig, 0, _DEPTH, token) for _ in range(effort.n_repeats)]
        rows.append({"table": "step_ms_by_others", "n_held": n_held, "ms": median(ms)})
    backend.clear()
    times = [row["ms"] for row in rows]
    full = times[-1] / times[0] if times and isinstance(times[0], float) and isinstance(times[-1], float) else None
    return Measured({"step_slowdown_by_others": full}, rows)


def _step_ms(rig: Rig, sequence: int, start: int, tokens: Sequence[int]) -> float:
    """Time of one step, which is taken back after."""
    wanted = [True] * len(tokens)
    batch = Batch(tokens, range(start, start + len(tokens)), [sequence] * len(tokens), wanted)
    seconds = rig.timed_s(lambda: rig.backend.decode(batch))
    rig.backend.remove(sequence, start)
    return 1000 * seconds


def _read(backend: Backend, sequence: int, start: int, tokens: Sequence[int]) -> None:
    size = backend.info.n_batch
    for first in range(0, len(tokens), size):
        part = tokens[first : first + size]
        begin = start + first
        positions = range(begin, begin + len(part))
        backend.decode(Batch(part, positions, [sequence] * len(part), [False] * len(part)))


def _ms_at(rows: Sequence[Row], n_tokens: int) -> float | None:
    return next((ms for row in rows if row["n_tokens"] == n_tokens and isinstance(ms := row["ms"], float)), None)

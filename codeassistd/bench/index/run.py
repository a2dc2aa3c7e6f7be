"""Measures the index on one workspace: reading all of it, reading nothing, one key, and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.bench.index.edits import edit_times
from codeassistd.bench.index.memory import MemoryWatch
from codeassistd.bench.index.rig import Corpus, Home, fresh_home
from codeassistd.clock import Clock, SystemClock, processes_time_s
from codeassistd.config import IndexSettings
from codeassistd.metrics.goals import Goal, at_most
from codeassistd.metrics.stats import Ratio, median, paired_ratio, percentile

__all__ = ["INDEX_GOALS", "N_STEPS", "IndexRun", "run_index"]

Figures = dict[str, float | int | None]

_N_KEYS = 400
_MEGABYTES_300 = 300_000_000

INDEX_GOALS: Mapping[str, Goal] = {
    "cold_vs_parse": at_most(2.5),
    "noop_restart_s": at_most(1),
    "noop_n_parsed": at_most(0),
    "edit_ms_p99": at_most(20),
    "peak_bytes": at_most(_MEGABYTES_300),
    "second_pass_growth": at_most(1.05),
}
"""`noop_restart_s` is meant for 250,000 lines."""
N_STEPS = 3
"""Steps besides one for each pair."""


@dataclass(frozen=True, slots=True)
class IndexRun:
    """What came of it.

    Attributes:
        ratio: of reading everything to bare parsing, pair by pair.
        rows: one for each pair.
    """

    figures: Figures
    ratio: Ratio
    rows: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class _Taken:
    """Seconds of one step: by the clock, and of the processor in all processes."""

    wall_s: float
    processor_s: float


def run_index(root: Path, settings: IndexSettings, n_pairs: int, on_step: Callable[[str], None]) -> IndexRun:
    """Measure on the workspace at `root`.

    Args:
        root: absolute.
        settings: limits of the index.
        n_pairs: pairs of a cold index and a bare parse, one right after the other.
        on_step: told each step before it begins.

    Raises:
        UsageError: there is nothing to index.
        StoreError: the index cannot be made here.
    """
    clock = SystemClock()
    with fresh_home(settings, clock, root) as home:
        figures = _in_one_home(home, on_step)
    corpus = Corpus.of(root)
    colds, parses = [], []
    for number in range(n_pairs):
        on_step(f"cold index against bare parsing, {number + 1} of {n_pairs}")
        colds.append(_cold(settings, clock, root))
        parses.append(_parse(corpus, clock))
    on_step("typing in a long file")
    times = edit_times(corpus, clock, _N_KEYS)
    ratio = paired_ratio([each.wall_s for each in colds], [each.wall_s for each in parses])
    by_processor = paired_ratio([each.processor_s for each in colds], [each.processor_s for each in parses])
    n_lines, cold = corpus.count_lines(), median([each.wall_s for each in colds]) or 0.0
    figures |= {
        "cold_vs_parse": ratio.value,
        "cold_vs_parse_processor": by_processor.value,
        "cold_s": cold,
        "parse_s": median([each.wall_s for each in parses]),
        "n_lines": n_lines,
        "n_bytes": corpus.n_bytes,
        "files_per_s": len(corpus.files) / cold,
        "lines_per_s": n_lines / cold,
        "edit_ms_p50": median(times.wall_ms),
        "edit_ms_p99": percentile(times.wall_ms, 99),
        "edit_processor_ms_p50": median(times.processor_ms),
        "edit_processor_ms_p99": percentile(times.processor_ms, 99),
        "edit_parse_processor_ms_p99": percentile(times.parse_processor_ms, 99),
    }
    rows = [
        {
            "cold_s": cold.wall_s,
            "parse_s": parse.wall_s,
            "cold_processor_s": cold.processor_s,
            "parse_processor_s": parse.processor_s,
        }
        for cold, parse in zip(colds, parses, strict=True)
    ]
    return IndexRun(figures, ratio, rows)


def _in_one_home(home: Home, on_step: Callable[[str], None]) -> Figures:
    """Memory of two passes, and a restart with nothing to do. First of all, while this process holds nothing yet."""
    on_step("two passes, for their memory")
    memory = MemoryWatch()
    with memory.watching(), home.indexer() as indexer:
        home.read(indexer)
        after_one = memory.now_bytes()
        home.read_again(indexer)
        after_two = memory.now_bytes()
        status = home.status(indexer)
    on_step("a restart without changes")
    with home.indexer() as indexer:
        restart_s = home.read(indexer)
        n_parsed = home.status(indexer).n_parsed
    return {
        "n_files": status.n_total,
        "n_symbols": status.n_symbols,
        "noop_restart_s": restart_s,
        "noop_n_parsed": n_parsed,
        "peak_bytes": memory.peak_bytes,
        "second_pass_growth": after_two / after_one,
    }


def _cold(settings: IndexSettings, clock: Clock, root: Path) -> _Taken:
    """The whole index, from the start of its workers to their end."""
    begun_s = processes_time_s()
    with fresh_home(settings, clock, root) as home, home.indexer() as indexer:
        wall_s = home.read(indexer)
    return _Taken(wall_s, processes_time_s() - begun_s)


def _parse(corpus: Corpus, clock: Clock) -> _Taken:
    begun_s, begun_processor_s = clock.monotonic_s(), processes_time_s()
    corpus.parse()
    return _Taken(clock.monotonic_s() - begun_s, processes_time_s() - begun_processor_s)

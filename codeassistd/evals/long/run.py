"""Has the model read and write the same texts in several ways, and compares each way with the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from codeassistd.config import ModelSettings
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.long.agreement import Agreement, agreement
from codeassistd.evals.long.probe import Probe
from codeassistd.evals.long.probes import make_probes
from codeassistd.evals.long.trace import Trace, read_trace
from codeassistd.evals.long.ways import Way
from codeassistd.evals.paired import Values

__all__ = ["LongRun", "OpenReader", "Tried", "long_values", "run_long"]

OpenReader = Callable[[ModelSettings], AbstractContextManager[Reader]]
"""Loads the model that the settings choose, with room for one sequence, and gives its memory back."""

OnText = Callable[[str, int, int], None]
"""Told the way, how many of its texts are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One way, and how it agrees with the first, text by text.

    Attributes:
        effective: the settings in force.
        warnings: one line for each that is not as asked.
    """

    way: Way
    effective: Mapping[str, str]
    warnings: tuple[str, ...]
    agreements: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class LongRun:
    """All ways over the same texts; the first one is the reference."""

    probes: tuple[Probe, ...]
    tried: tuple[Tried, ...]

    def way(self, name: str) -> Tried:
        """The way of this name."""
        return next(tried for tried in self.tried if tried.way.name == name)


def run_long(ways: Sequence[Way], open_reader: OpenReader, n_each: int, seed: int, on_text: OnText) -> LongRun:
    """Carry it out; blocks. The texts are made for the context of the first way.

    Raises:
        ModelError: a way cannot be loaded.
        DecodeError: a step failed.
        UsageError: this interpreter comes without the sources of its library.
    """
    probes: list[Probe] = []
    reference: list[Trace] = []
    tried: list[Tried] = []
    for way in ways:
        on_text(way.name, 0, 1)
        with open_reader(way.settings) as reader:
            if not probes:
                probes = make_probes(reader.vocabulary, reader.info.n_ctx, n_each, seed)
            traces: list[Trace] = []
            for probe in probes:
                on_text(way.name, len(traces), len(probes))
                traces.append(read_trace(reader, probe))
            reference = reference or traces
            compared = tuple(agreement(*each) for each in zip(probes, reference, traces, strict=True))
            tried.append(Tried(way, reader.info.effective, reader.info.warnings, compared))
    return LongRun(tuple(probes), tuple(tried))


def long_values(agreements: Sequence[Agreement]) -> dict[str, Values]:
    """Each figure by text, to be compared."""
    return {
        "agreement_share": [one.n_same / one.n_tokens for one in agreements],
        "clear_agreement_share": [one.n_clear_same / one.n_clear if one.n_clear else None for one in agreements],
        "written_agreement_share": [
            one.n_written_same / one.n_written if one.n_written else None for one in agreements
        ],
        "nll": [one.nll for one in agreements],
        "compile_rate": [float(one.is_sound) for one in agreements],
        "pass_rate": [None if one.is_right is None else float(one.is_right) for one in agreements],
    }

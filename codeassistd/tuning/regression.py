"""What a copy of a model has lost against its source: both read and write the same texts, one model after the other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config import ModelSettings
from codeassistd.daemon.model import Model
from codeassistd.engine.llama.header import read_header
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.long.agreement import Agreement, agreement, figures
from codeassistd.evals.long.probe import Kind, Probe
from codeassistd.evals.long.probes import make_probes
from codeassistd.evals.long.trace import Trace, read_trace
from codeassistd.paths import Paths

__all__ = ["Effort", "Regression", "find_regression", "summed_up"]

Figures = Mapping[str, float | int | None]

_SEED = 7


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried.

    Attributes:
        n_each: texts of each kind.
        n_ctx: tokens of the context, of which long texts take more than half.
    """

    n_each: int = 2
    n_ctx: int = 1024


@dataclass(frozen=True, slots=True)
class Regression:
    """The copy against its source.

    Attributes:
        all: figures of all texts, named as in `evals.long.agreement.figures`.
        by_kind: the same by what is hard about the texts.
        source: perplexity, compile and pass rate of the source itself, by kind.
    """

    all: Figures
    by_kind: Mapping[str, Figures]
    source: Mapping[str, Figures]


def find_regression(
    paths: Paths, settings: ModelSettings, files: tuple[Path, Path], effort: Effort, on_text: Callable[[int, int], None]
) -> Regression:
    """Try a source and its copy with the same texts; blocks, with one of the two in memory at a time.

    Args:
        paths: where everything lies.
        settings: how models are loaded.
        files: the source and the copy.
        effort: how much is tried.
        on_text: told how many texts of how many are read.

    Raises:
        ModelError: one of them cannot be loaded.
        DecodeError: a step failed.
        UsageError: this interpreter comes without the sources of its library.
    """
    source, copy = files
    n_trained = read_header(source).number("context_length", effort.n_ctx)
    n_ctx = min(effort.n_ctx, n_trained)
    read = _Reading(paths, settings.model_copy(update={"n_ctx": n_ctx, "n_slots": 1, "draft": "", "lora": ()}), on_text)
    probes, reference = read.texts(source, None, effort.n_each)
    _, other = read.texts(copy, probes, effort.n_each)
    return summed_up(probes, reference, other)


def summed_up(probes: Sequence[Probe], reference: Sequence[Trace], other: Sequence[Trace]) -> Regression:
    """The figures of two models' traces; pure."""

    def by_kind(traces: Sequence[Trace]) -> dict[str, list[Agreement]]:
        sorted_by_kind: dict[str, list[Agreement]] = {kind.value: [] for kind in Kind}
        for probe, one, two in zip(probes, reference, traces, strict=True):
            sorted_by_kind[probe.kind.value].append(agreement(probe, one, two))
        return {kind: agreements for kind, agreements in sorted_by_kind.items() if agreements}

    compared = by_kind(other)
    return Regression(
        figures([one for agreements in compared.values() for one in agreements]),
        {kind: figures(agreements) for kind, agreements in compared.items()},
        {kind: figures(agreements) for kind, agreements in by_kind(reference).items()},
    )


@dataclass(slots=True)
class _Reading:
    """Loads one model after the other."""

    paths: Paths
    settings: ModelSettings
    on_text: Callable[[int, int], None]
    n_done: int = 0

    def texts(self, file: Path, probes: Sequence[Probe] | None, n_each: int) -> tuple[Sequence[Probe], list[Trace]]:
        """What the model of a file makes of the texts, which are made with its vocabulary if there are none yet."""
        # A name in the copy counts as chosen, and so goes before the model in use; its letters may be any.
        settings = self.settings.model_copy(update={"name": str(file)})
        model = Model(Catalogue(self.paths), settings)
        with contextlib.closing(model.load(lambda _share: True)) as backend:
            known = probes or make_probes(backend.vocabulary, self.settings.n_ctx, n_each, _SEED)
            reader, traces = Reader(backend), []
            for probe in known:
                self.on_text(self.n_done, 2 * len(known))
                traces.append(read_trace(reader, probe))
                self.n_done += 1
            self.on_text(self.n_done, 2 * len(known))
        return known, traces

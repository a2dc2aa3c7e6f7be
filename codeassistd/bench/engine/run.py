"""Sets the rig up with the user's model, runs the measurements on it, and takes it down."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from codeassistd.bench.engine.corpus import Corpus
from codeassistd.bench.engine.measured import Effort, Row
from codeassistd.bench.engine.rig import Rig
from codeassistd.bench.engine.table import Measurement
from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.clock import SystemClock
from codeassistd.config import ContextSettings, KvType, ModelSettings
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.loaded_engine import loaded_engine
from codeassistd.daemon.model import Model
from codeassistd.daemon.model_files import prepare_model
from codeassistd.engine.backend import BackendInfo
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import EngineState
from codeassistd.errors import DaemonError, ModelLoadError
from codeassistd.paths import Paths
from codeassistd.testing.scratch import terminable

__all__ = ["EngineRun", "measure", "refuse_beside_a_daemon", "rig_settings", "run_engine"]

OnMeasurement = Callable[[str], None]
"""Told the name of each measurement before it begins."""

_N_SLOTS = 9
"""Slots for eight background prompts and the one that types."""
_N_CTX = 2048


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What came of it.

    Attributes:
        model: name of the model, or path of a bare file.
        info: what was loaded.
    """

    model: str
    info: BackendInfo
    figures: Mapping[str, float | int | None]
    rows: Sequence[Row]


def refuse_beside_a_daemon(paths: Paths) -> None:
    """See that no daemon holds a model: the two would share the processor, and the figures would be of neither.

    Raises:
        DaemonError: one does.
    """
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        return
    with ControlClient(connection) as daemon:
        status = daemon.call("status")
    if status["model"]["state"] in {EngineState.READY, EngineState.LOADING}:
        raise DaemonError(
            f"a daemon (process {status['pid']}) holds a model, which would be measured too; "
            "`codeassistd stop` first, or measure beside it with --beside"
        )


def rig_settings(settings: ModelSettings) -> ModelSettings:
    """The settings that the engine is measured with: slots for all that is measured at once, of a bounded length."""
    return settings.model_copy(
        update={"n_slots": max(settings.n_slots, _N_SLOTS), "n_ctx": min(settings.n_ctx, _N_CTX)},
    )


def run_engine(
    paths: Paths,
    model: ModelSettings,
    context: ContextSettings,
    *,
    measurements: Sequence[Measurement],
    effort: Effort,
    on_measurement: OnMeasurement,
) -> EngineRun:
    """Load the model twice, measure, and give the memory back; blocks.

    Raises:
        ModelError: the model cannot be had or loaded.
        EngineError: a step failed.
    """

    async def work() -> EngineRun:
        async with _open_rig(paths, rig_settings(model), context) as rig:
            return await measure(rig, measurements, effort, on_measurement)

    with terminable():  # what a measurement has started must not outlive it
        return asyncio.run(work())


async def measure(
    rig: Rig, measurements: Sequence[Measurement], effort: Effort, on_measurement: OnMeasurement
) -> EngineRun:
    """Run the measurements one after the other."""
    figures: dict[str, float | int | None] = {}
    rows: list[Row] = []
    for measurement in measurements:
        on_measurement(measurement.name)
        measured = await measurement.run(rig, effort)
        figures |= measured.figures
        rows += measured.rows
    return EngineRun(rig.model, rig.info, figures, rows)


@contextlib.asynccontextmanager
async def _open_rig(paths: Paths, settings: ModelSettings, context: ContextSettings) -> AsyncIterator[Rig]:
    # A help page must not load the native library, which may not even run here.
    from codeassistd.engine.llama.backend import LlamaBackend  # noqa: PLC0415 - loads the native library
    from codeassistd.engine.llama.bare import BareLoop  # noqa: PLC0415 - loads the native library
    from codeassistd.engine.llama.load import llama_factory  # noqa: PLC0415 - loads the native library
    from codeassistd.engine.llama.params import LlamaOptions  # noqa: PLC0415 - loads the native library

    clock = SystemClock()
    # Before the engine would: from here a wrong name is an error of its own kind, from there a failed load.
    prepared = prepare_model(Catalogue(paths), settings)
    options = LlamaOptions.from_settings(prepared.path, settings)
    model = Model(Catalogue(paths), settings)
    async with loaded_engine(model, settings, clock) as engine:

        def info_with(kv_type: KvType) -> BackendInfo:
            other = llama_factory(replace(options, kv_type_k=kv_type, kv_type_v=kv_type))(lambda _share: True)
            other.close()
            return other.info

        backend = llama_factory(options)(lambda _share: True)
        if not isinstance(backend, LlamaBackend):
            raise ModelLoadError("the bare loop needs llama.cpp itself")
        bare = BareLoop(backend)
        try:
            yield Rig(
                model=prepared.name,
                engine=engine,
                backend=backend,
                bare=bare,
                corpus=Corpus.of_library(backend.vocabulary),
                profile=model.profile_of(backend.vocabulary),
                context=context,
                clock=clock,
                info_with=info_with,
                new_engine=lambda options: Engine(model.load, clock, options=options),
            )
        finally:
            bare.close()
            backend.close()

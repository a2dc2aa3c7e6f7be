"""Turns the measured speed of a model into what steps cost here, so that others can be reckoned from it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import psutil

from codeassistd.catalogue.catalogue import ResolvedModel
from codeassistd.config import ModelSettings
from codeassistd.engine.llama.probe import LibraryFacts
from codeassistd.engine.llama.speed import Speed, measure_speed
from codeassistd.paths import Paths
from codeassistd.setup.choice import Machine, Pace

__all__ = ["Measured", "look_at", "measure", "pace_of"]

#: Up to here a copy of the model in 16-bit floats is written within two seconds.
_SMALL_BYTES = 1_000_000_000
_WIDE = "F16"
_REPACKED = "Q4_0"
#: The least part of a step that counts as the reading of weights, so that two measurements that differ by noise alone
#: promise no wonders. On a processor more than half of a small model's step is (SmolLM2-135M: 7.6 of 11.6 ms); on a GPU
#: nearly all of it may be the starting of its programs.
_LEAST_SHARE = {"cpu": 0.5, "gpu": 0.02}
#: Of a model whose number of weights is not known: between 4 and 8 bits each.
_BYTES_PER_WEIGHT = 0.7
_GB = 1e9


@dataclass(frozen=True, slots=True)
class Measured:
    """The speed of one model, and what follows from it.

    Attributes:
        name: of the model.
        n_cores: of the processor.
        load: processes that wanted to run meanwhile, on average over a minute.
    """

    name: str
    speed: Speed
    pace: Pace
    n_cores: int
    load: float

    @property
    def is_disturbed(self) -> bool:
        """Whether other programs made this machine look slower than it is."""
        # What was measured itself keeps all cores busy.
        return self.load > 2 * self.n_cores


def measure(model: ResolvedModel, settings: ModelSettings, *, reads_on_gpu: bool) -> Measured:
    """Measure a model in children of this process, in less than a minute.

    Raises:
        ModelLoadError: it cannot be measured.
    """
    manifest = model.manifest
    is_repacked = settings.repack and manifest is not None and manifest.repack and not reads_on_gpu
    speed = measure_speed(model.path, settings, _REPACKED if is_repacked else "")
    wide = measure_speed(model.path, settings, _WIDE) if speed.n_weight_bytes < _SMALL_BYTES else None
    known = manifest.size.active_parameters if manifest is not None and manifest.size is not None else 0
    parameters = known or round(speed.n_weight_bytes / _BYTES_PER_WEIGHT)
    n_cores = psutil.cpu_count(logical=False) or 1
    return Measured(model.name, speed, pace_of(speed, wide, parameters), n_cores, psutil.getloadavg()[0])


def pace_of(speed: Speed, wide: Speed | None, active_parameters: int) -> Pace:
    """What steps cost, from the speed of a model and that of a copy with wider numbers; pure.

    The two read different amounts of memory and compute the same otherwise, so what differs is the reading. Without the
    copy all of a step counts as reading, which holds for a large model.
    """
    whole = speed.write_ms / (speed.n_weight_bytes / _GB)
    slope = whole
    if wide is not None and wide.n_weight_bytes > speed.n_weight_bytes:
        slope = (wide.write_ms - speed.write_ms) / ((wide.n_weight_bytes - speed.n_weight_bytes) / _GB)
    slope = min(max(slope, whole * _LEAST_SHARE[speed.device]), whole)
    fixed_ms = speed.write_ms - slope * speed.n_weight_bytes / _GB
    return Pace(fixed_ms, slope, speed.read_ms / (active_parameters / _GB))


def look_at(paths: Paths, facts: LibraryFacts) -> Machine:
    """What there is room in on this machine."""
    memory = psutil.virtual_memory()
    graphics = [device.memory_bytes for device in facts.devices if device.kind == "gpu"] if facts.gpu_offload else []
    return Machine(memory.total, memory.available, max(graphics, default=0), _free_disk(paths.models_dir))


def _free_disk(folder: Path) -> int:
    above = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(above).free

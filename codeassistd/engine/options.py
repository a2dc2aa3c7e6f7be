"""What the engine is told beside its model: the goals that it works by."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from codeassistd.config import ModelSettings
from codeassistd.engine.carrier import CacheLimits

__all__ = ["EngineOptions"]

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the engine works, whatever the model.

    Attributes:
        step_ms: longest step, in milliseconds, beside a stream that runs; 0 takes 60 on a processor and 30 on a GPU.
        max_draft: most tokens of a sequence that one step guesses ahead, where that pays.
        limits: how much of what was read is kept beside the slots, in memory and on disk.
        idle_unload_s: the model's memory is given back after so many seconds without work; 0 never does.
    """

    step_ms: float = 0.0
    max_draft: int = 16
    limits: CacheLimits = field(default_factory=CacheLimits)
    idle_unload_s: float = 0.0

    @classmethod
    def from_settings(cls, settings: ModelSettings, kv_dir: Path | None = None) -> Self:
        """The options in the settings; without a folder nothing is kept on disk."""
        return cls(
            step_ms=float(settings.step_ms),
            max_draft=settings.max_draft,
            limits=CacheLimits(settings.cache_mb * _MIB, settings.cache_disk_mb * _MIB, kv_dir),
            idle_unload_s=settings.idle_unload_s,
        )

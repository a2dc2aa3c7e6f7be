"""What the engine is told beside its model: the goals that it works by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from codeassistd.config import ModelSettings

__all__ = ["EngineOptions"]


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the engine works, whatever the model.

    Attributes:
        step_ms: longest step, in milliseconds, beside a stream that runs; 0 takes 60 on a processor and 30 on a GPU.
    """

    step_ms: float = 0.0

    @classmethod
    def from_settings(cls, settings: ModelSettings) -> Self:
        """The options in the settings."""
        return cls(step_ms=float(settings.step_ms))

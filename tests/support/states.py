"""Engines that keep their prompts over a restart, and the files that they keep them in."""

from __future__ import annotations

from pathlib import Path

from codeassistd.engine.backend import BackendFactory
from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import EngineState
from tests.support.engines import Answer, answer_of, request, settled

__all__ = ["files_of", "run_once"]


async def run_once(
    factory: BackendFactory, folder: Path, *prompts: str, disk_bytes: int = 10**8, max_tokens: int = 8
) -> list[Answer]:
    """Start an engine that keeps its prompts in `folder`, ask, and stop it."""
    engine = Engine(factory, options=EngineOptions(limits=CacheLimits(disk_bytes=disk_bytes, folder=folder)))
    engine.start()
    assert EngineState.READY == settled(engine)
    answers = [await answer_of(engine.submit(request(prompt, max_tokens=max_tokens))) for prompt in prompts]
    engine.stop()
    return answers


def files_of(folder: Path) -> list[Path]:
    """The saved states, the largest first."""
    return sorted(folder.glob("*"), key=lambda path: -path.stat().st_size) if folder.exists() else []

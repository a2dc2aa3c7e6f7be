"""`bench typing`: real files typed through the real server, pace by pace.

Each pace gets a daemon that knows nothing yet: the same keys typed a second time would be answered from what the first
time left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from codeassistd.bench.keystrokes import TypingScript
from codeassistd.bench.replies import FileTyped
from codeassistd.bench.typist import Typist
from codeassistd.clock import SystemClock
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths, child_environment
from codeassistd.testing.lsp_client import LspClient
from codeassistd.testing.scratch import scratch_daemon

__all__ = ["Manners", "OnKey", "Typed", "TypingPlan", "Where", "run_typing"]

OnKey = Callable[[], None]
"""Told of each key, for a progress bar."""

_READY_S = 300.0
_END_S = 10.0


class Where(StrEnum):
    """Which daemon is measured."""

    SCRATCH = "scratch"
    """One of its own for each pace, with the user's settings and models and nothing else."""
    RUNNING = "running"
    """The user's, with all that it remembers."""


class Manners(StrEnum):
    """Whose manners the typist has towards requests that a new key made useless."""

    VSCODE = "vscode"
    """Takes them back."""
    NEOVIM = "neovim"
    """Leaves them to the server."""


@dataclass(frozen=True, slots=True)
class TypingPlan:
    """What is typed, how, and where.

    Attributes:
        command: starts what an editor starts: a server that speaks on its standard streams.
        serve: starts a scratch daemon.
        root: the workspace that the files belong to.
        intervals_ms: the paces, each as the time between two keys; 0 types on as soon as there is an answer.
        overrides: settings of a scratch daemon, as `parse_assignments` returns them.
    """

    command: Sequence[str]
    root: Path
    scripts: Sequence[TypingScript]
    intervals_ms: Sequence[int]
    manners: Manners = Manners.VSCODE
    where: Where = Where.SCRATCH
    overrides: Mapping[str, str] = field(default_factory=dict)
    serve: Sequence[str] = SERVE

    @property
    def n_keys(self) -> int:
        """Keys in all."""
        return len(self.intervals_ms) * sum(len(script.keys) for script in self.scripts)


@dataclass(frozen=True, slots=True)
class Typed:
    """All files, typed at one pace.

    Attributes:
        model: what the daemon says about its model: name, path, what was asked for and what is in force.
    """

    interval_ms: int
    files: tuple[FileTyped, ...]
    model: Mapping[str, Any]


def run_typing(plan: TypingPlan, user: Paths, on_key: OnKey) -> tuple[Typed, ...]:
    """Carry the plan out; blocks.

    Raises:
        DaemonError: there is no daemon to be had, it has no model, or it fails.
    """
    paces = []
    for interval_ms in plan.intervals_ms:
        with _environment(plan, user) as environ:
            paces.append(asyncio.run(_type_files(plan, environ, interval_ms, on_key)))
    return tuple(paces)


@contextlib.contextmanager
def _environment(plan: TypingPlan, user: Paths) -> Iterator[Mapping[str, str]]:
    if plan.where is Where.SCRATCH:
        with scratch_daemon(user, plan.overrides, plan.serve) as daemon:
            yield daemon.environ
        return
    # The proxy would start one, and what was asked for is the one that runs.
    ControlClient.connect(Launcher(user)).close()
    yield child_environment()


async def _type_files(plan: TypingPlan, environ: Mapping[str, str], interval_ms: int, on_key: OnKey) -> Typed:
    async with _connection(plan.command, environ) as client:
        await client.initialize(
            plan.root,
            capabilities={"textDocument": {"inlineCompletion": {}}},
            # What is measured may lie in an environment that git ignores.
            options={"completion": {"ignored_files": True}},
        )
        typist = Typist(client, SystemClock(), cancels=plan.manners is Manners.VSCODE)
        status = await typist.until_ready(_READY_S)
        files = [await typist.type(script, interval_ms, on_key) for script in plan.scripts]
        await client.leave()
    return Typed(interval_ms, tuple(files), status["model"])


@contextlib.asynccontextmanager
async def _connection(command: Sequence[str], environ: Mapping[str, str]) -> AsyncIterator[LspClient]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, env=dict(environ))
    if process.stdin is None or process.stdout is None:
        raise DaemonError("the language server has no standard streams")
    try:
        async with LspClient(process.stdout, process.stdin) as client:
            yield client
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Wait for the child, whose input is closed; a hung one is ended."""
    try:
        async with asyncio.timeout(_END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

"""`bench typing`: real files typed through the real server, pace by pace.

Each pace gets a daemon that knows nothing yet: the same keys typed a second time would be answered from what the first
time left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from codeassistd.bench.keystrokes import TypingScript
from codeassistd.bench.replies import FileTyped
from codeassistd.bench.typist import Typist
from codeassistd.clock import SystemClock
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.paths import Paths, child_environment
from codeassistd.testing.lsp_process import lsp_process, until_ready
from codeassistd.testing.scratch import scratch_daemon

__all__ = ["Gate", "Manners", "OnKey", "Typed", "TypingPlan", "Where", "run_typing"]

OnKey = Callable[[], None]
"""Told of each key, for a progress bar."""

_GATE_OFF: Mapping[str, str] = MappingProxyType({"completion.eagerness": "always"})
_READY_S = 300.0


class Where(StrEnum):
    """Which daemon is measured."""

    SCRATCH = "scratch"
    """One of its own for each pace, with the user's settings and models and nothing else."""
    RUNNING = "running"
    """The user's, with all that it remembers."""


class Gate(StrEnum):
    """Whether the silence gate holds unsure suggestions back."""

    ON = "on"
    """As the user's settings say."""
    OFF = "off"
    """Whatever fits is shown."""


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
        gates: each pace is typed once with each.
        overrides: settings of a scratch daemon, as `parse_assignments` returns them.
    """

    command: Sequence[str]
    root: Path
    scripts: Sequence[TypingScript]
    intervals_ms: Sequence[int]
    gates: Sequence[Gate] = (Gate.ON,)
    manners: Manners = Manners.VSCODE
    where: Where = Where.SCRATCH
    overrides: Mapping[str, str] = field(default_factory=dict)
    serve: Sequence[str] = SERVE

    @property
    def n_keys(self) -> int:
        """Keys in all."""
        return len(self.gates) * len(self.intervals_ms) * sum(len(script.keys) for script in self.scripts)


@dataclass(frozen=True, slots=True)
class Typed:
    """All files, typed at one pace.

    Attributes:
        gate: whether it held suggestions back.
        model: what the daemon says about its model: name, path, what was asked for and what is in force.
    """

    interval_ms: int
    gate: Gate
    files: tuple[FileTyped, ...]
    model: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What its figures' names end in."""
        return f"at_{self.interval_ms}" + ("" if self.gate is Gate.ON else "_gate_off")


def run_typing(plan: TypingPlan, user: Paths, on_key: OnKey) -> tuple[Typed, ...]:
    """Carry the plan out; blocks.

    Raises:
        DaemonError: there is no daemon to be had, it has no model, or it fails.
    """
    paces = []
    for interval_ms, gate in itertools.product(plan.intervals_ms, plan.gates):
        with _environment(plan, user, gate) as environ:
            files, model = asyncio.run(_type_files(plan, environ, interval_ms, on_key))
        paces.append(Typed(interval_ms, gate, files, model))
    return tuple(paces)


@contextlib.contextmanager
def _environment(plan: TypingPlan, user: Paths, gate: Gate) -> Iterator[Mapping[str, str]]:
    if plan.where is Where.SCRATCH:
        overrides = {**plan.overrides, **(_GATE_OFF if gate is Gate.OFF else {})}
        with scratch_daemon(user, overrides, plan.serve) as daemon:
            yield daemon.environ
        return
    # The proxy would start one, and what was asked for is the one that runs.
    ControlClient.connect(Launcher(user)).close()
    yield child_environment()


async def _type_files(
    plan: TypingPlan, environ: Mapping[str, str], interval_ms: int, on_key: OnKey
) -> tuple[tuple[FileTyped, ...], Mapping[str, Any]]:
    """The files, and what the daemon says about its model."""
    async with lsp_process(plan.command, environ) as client:
        await client.initialize(
            plan.root,
            capabilities={"textDocument": {"inlineCompletion": {}}},
            # What is measured may lie in an environment that git ignores.
            options={"completion": {"ignored_files": True}},
        )
        clock = SystemClock()
        typist = Typist(client, clock, cancels=plan.manners is Manners.VSCODE)
        status = await until_ready(client, clock, _READY_S)
        files = [await typist.type(script, interval_ms, on_key) for script in plan.scripts]
        await client.leave()
    return tuple(files), status["model"]

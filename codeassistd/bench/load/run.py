"""`bench load`: carries a load out, with a process for each client as each editor window has.

First one client types, alone and beside a chat in turns, so that both meet the same state of the machine and neither
what is done for the first time; then all clients are at work at once. Whatever a client is not answered, or answered
twice, is counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from codeassistd.bench.keystrokes import TypingScript
from codeassistd.bench.load.actors import Actor, Background, Chatter, Recorder, Typing
from codeassistd.bench.load.asked import Asked, Kind, Phase, mix
from codeassistd.bench.typing_run import Where
from codeassistd.clock import Clock, SystemClock
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import SERVE, Launcher
from codeassistd.paths import Paths, child_environment
from codeassistd.testing.lsp_client import LspClient
from codeassistd.testing.lsp_process import lsp_process, until_ready
from codeassistd.testing.scratch import scratch_daemon

__all__ = ["LoadPlan", "LoadRun", "OnSecond", "run_load"]

OnSecond = Callable[[str], None]
"""Told once a second what is done, for a progress bar."""

_READY_S = 300.0
_TICK_S = 1.0
#: The turns of typing, with their shares of a turn's time. What gets slower or faster with time, such as a machine that
#: grows hot, meets typing alone and beside a chat alike.
_TURNS = (
    (Phase.WARM, 2),
    (Phase.ALONE, 1),
    (Phase.BESIDE, 2),
    (Phase.ALONE, 2),
    (Phase.BESIDE, 2),
    (Phase.ALONE, 1),
)
_N_TURNS = sum(share for _, share in _TURNS)


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What is done, and where.

    Attributes:
        command: starts what an editor starts.
        root: the workspace that the files belong to.
        scripts: what is typed; each client begins at another one.
        seconds: of the load.
        interval_s: between two keys at least.
        n_files: that a chat asks about at a time.
        patience_s: a reply that has not come by then is lost.
        overrides: settings of a scratch daemon, as `parse_assignments` returns them.
        serve: starts a scratch daemon.
    """

    command: Sequence[str]
    root: Path
    scripts: Sequence[TypingScript]
    n_clients: int = 8
    seconds: float = 30.0
    interval_s: float = 0.15
    n_files: int = 3
    patience_s: float = 120.0
    where: Where = Where.SCRATCH
    overrides: Mapping[str, str] = field(default_factory=dict)
    serve: Sequence[str] = SERVE

    @property
    def turn_s(self) -> float:
        """One share of the turns of typing, which take as long together as the load."""
        return self.seconds / _N_TURNS

    @property
    def n_seconds(self) -> float:
        """Of all that is done, without what it takes to become ready."""
        return 2 * self.seconds


@dataclass(slots=True)
class LoadRun:
    """What came of it.

    Attributes:
        asked: every request.
        memory: seconds since the first sample, and bytes of the daemon then.
        metrics: what the daemon says about the time of the load.
        model: what it says about its model.
        n_surplus: answers that nobody had asked for, or that came twice.
        errors: what the servers complained of.
    """

    asked: list[Asked] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    n_surplus: int = 0
    errors: list[str] = field(default_factory=list)


def run_load(plan: LoadPlan, user: Paths, on_second: OnSecond) -> LoadRun:
    """Carry the plan out; blocks.

    Raises:
        DaemonError: there is no daemon to be had, it has no model, or it fails.
    """
    if plan.where is Where.SCRATCH:
        with scratch_daemon(user, plan.overrides, plan.serve) as daemon:
            return _run_at(plan, daemon.paths, daemon.environ, on_second)
    return _run_at(plan, user, child_environment(), on_second)


def _run_at(plan: LoadPlan, paths: Paths, environ: Mapping[str, str], on_second: OnSecond) -> LoadRun:
    run = LoadRun()
    with ControlClient.connect(Launcher(paths)) as control:
        asyncio.run(_Load(plan, environ, control, run, on_second).carry_out())
    return run


class _Load:
    """One run on its loop."""

    def __init__(
        self, plan: LoadPlan, environ: Mapping[str, str], control: ControlClient, run: LoadRun, on_second: OnSecond
    ) -> None:
        self._plan = plan
        self._environ = environ
        self._control = control
        self._run = run
        self._on_second = on_second
        self._clock: Clock = SystemClock()
        self._recorder = Recorder(self._clock, run.asked.append, plan.patience_s)

    async def carry_out(self) -> None:
        kinds = mix(self._plan.n_clients)
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(self._client()) for _ in (*kinds, Kind.CHAT)]
            status = await until_ready(clients[0], self._clock, _READY_S)
            self._run.model = status["model"]
            daemon = psutil.Process(status["pid"])
            chatter = self._chatter_beside(clients[-1])
            actors = [self._actor(number, *one) for number, one in enumerate(zip(kinds, clients, strict=False))]
            for phase, share in _TURNS:
                acting = [actors[0]] if phase is Phase.ALONE else [actors[0], chatter]
                await self._act(acting, phase, share * self._plan.turn_s, daemon)
            await asyncio.to_thread(self._control.call, "metrics")
            await self._act(actors, Phase.LOAD, self._plan.seconds, daemon)
            # On one connection: the figures since it asked before.
            self._run.metrics = await asyncio.to_thread(self._control.call, "metrics")
            for client in clients:
                await client.leave()

    @contextlib.asynccontextmanager
    async def _client(self) -> AsyncIterator[LspClient]:
        """A client of its own; what it was told wrong is taken down at its end."""
        async with lsp_process(self._plan.command, self._environ) as client:
            await client.initialize(
                self._plan.root,
                capabilities={"textDocument": {"inlineCompletion": {}}},
                # What is measured may lie in an environment that git ignores.
                options={"completion": {"ignored_files": True}},
            )
            try:
                yield client
            finally:
                self._run.n_surplus += client.n_surplus
                self._run.errors += client.take_errors()

    def _actor(self, number: int, kind: Kind, client: LspClient) -> Actor:
        scripts = [*self._plan.scripts[number:], *self._plan.scripts[:number]]
        if kind is Kind.TYPING:
            return Typing(client, self._recorder, scripts, self._plan.interval_s)
        if kind is Kind.CHAT:
            files = [script.path for script in scripts]
            sessions = (f"load-{number}-{nth}" for nth in itertools.count(1))
            return Chatter(client, self._recorder, sessions, files, self._plan.n_files)
        return Background(client, self._recorder, scripts)

    def _chatter_beside(self, client: LspClient) -> Chatter:
        """Chats beside the first client's typing, and rests under load.

        It stays in one conversation about the same files, as people do: once they are read, its answers stream.
        """
        files = [script.path for script in self._plan.scripts[: self._plan.n_files]]
        return Chatter(client, self._recorder, itertools.repeat("beside"), files, self._plan.n_files)

    async def _act(self, actors: Sequence[Actor], phase: Phase, seconds: float, daemon: psutil.Process) -> None:
        """Have some clients work for a time, and wait for what they have asked by its end."""
        stop = asyncio.Event()
        begun_s = self._clock.monotonic_s()
        async with asyncio.TaskGroup() as group:
            for actor in actors:
                group.create_task(actor.act(phase, stop))
            while (left_s := begun_s + seconds - self._clock.monotonic_s()) > 0:
                self._sample(daemon)
                self._on_second(phase.value)
                await self._clock.sleep(min(_TICK_S, left_s))
            stop.set()
        self._sample(daemon)

    def _sample(self, daemon: psutil.Process) -> None:
        self._run.memory.append((self._clock.monotonic_s(), daemon.memory_info().rss))

"""`bench chat`: one conversation of many turns through `codeassistd lsp --stdio`, with the memory and without.

Each has a scratch daemon of its own. Between two questions the daemon may finish what it does for the conversation
(summarise, read its new beginning), as it does while a person reads the answer; how long that takes is measured too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from codeassistd.clock import Clock, SystemClock
from codeassistd.daemon.launcher import SERVE
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths
from codeassistd.testing.lsp_client import LspClient, LspError
from codeassistd.testing.lsp_process import lsp_process, until_ready
from codeassistd.testing.scratch import scratch_daemon

__all__ = ["ChatPlan", "Talked", "TurnCost", "Way", "run_chat_bench"]

OnTurn = Callable[[], None]
"""Told of each turn, for a progress bar."""

_READY_S = 300.0
_ANSWER_S = 600.0
_UPKEEP_S = 600.0
_POLL_S = 0.05
_PROGRESS = "bench"
_SESSION = "bench"


class Way(StrEnum):
    """How the conversation is kept."""

    MEMORY = "memory"
    """As the daemon does."""
    WHOLE = "whole"
    """All turns word for word for as long as the context has room, then without the oldest; no summary."""


#: The context is large enough for a whole conversation of small pieces, and the memory keeps to a quarter of it.
_COMMON: Mapping[str, str] = MappingProxyType(
    {"model.n_ctx": "8192", "model.n_slots": "2", "chat.max_tokens": "24", "chat.temperature": "0"}
)
_OWN: Mapping[Way, Mapping[str, str]] = MappingProxyType(
    {
        Way.MEMORY: MappingProxyType({"chat.kv_tokens": "2048"}),
        Way.WHOLE: MappingProxyType({"chat.summary_tokens": "0", "chat.window_tokens": "131072"}),
    }
)


@dataclass(frozen=True, slots=True)
class ChatPlan:
    """What is asked, and where.

    Attributes:
        command: starts what an editor starts: a server that speaks on its standard streams.
        overrides: settings of the daemons, on top of those of the bench.
        serve: starts a scratch daemon.
    """

    command: Sequence[str]
    root: Path
    questions: Sequence[str]
    overrides: Mapping[str, str] = field(default_factory=dict)
    serve: Sequence[str] = SERVE


@dataclass(frozen=True, slots=True)
class TurnCost:
    """What one turn took.

    Attributes:
        ttft_ms: from the question to the first piece of the answer; to its end where it is empty.
        n_cells: of the cache that the conversation holds after it.
        upkeep_ms: what the daemon went on to do for the conversation afterwards.
    """

    turn: int
    ttft_ms: float
    total_ms: float
    n_prompt: int
    n_cached: int
    n_cells: int
    upkeep_ms: float


@dataclass(frozen=True, slots=True)
class Talked:
    """One conversation; `model` is what the daemon says about its model."""

    way: Way
    turns: tuple[TurnCost, ...]
    model: Mapping[str, Any]


def run_chat_bench(plan: ChatPlan, user: Paths, on_turn: OnTurn) -> tuple[Talked, ...]:
    """Carry the plan out in both ways; blocks.

    Raises:
        DaemonError: there is no daemon to be had, it has no model, or it fails.
    """
    talked = []
    for way in Way:
        overrides = {**_COMMON, **_OWN[way], **plan.overrides}
        with scratch_daemon(user, overrides, plan.serve) as daemon:
            talked.append(asyncio.run(_talk(plan, way, daemon.environ, on_turn)))
    return tuple(talked)


async def _talk(plan: ChatPlan, way: Way, environ: Mapping[str, str], on_turn: OnTurn) -> Talked:
    clock = SystemClock()
    async with lsp_process(plan.command, environ) as client:
        await client.initialize(plan.root)
        status = await until_ready(client, clock, _READY_S)
        talker = _Talker(client, clock)
        turns = []
        for question in plan.questions:
            turns.append(await talker.ask(question))
            on_turn()
        await client.leave()
    return Talked(way, tuple(turns), status["model"])


class _Talker:
    """Asks one question after the other."""

    def __init__(self, client: LspClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def ask(self, question: str) -> TurnCost:
        """One turn, and what it took.

        Raises:
            DaemonError: the server refuses it, or does not come to an end.
        """
        n_received = len(self._client.received)
        begun_s = self._clock.monotonic_s()
        params = {"session": _SESSION, "text": question, "partialResultToken": _PROGRESS}
        pending = self._client.start("codeassistd/chat", params)
        pending.read()
        first = asyncio.create_task(self._first_piece(n_received))
        try:
            async with asyncio.timeout(_ANSWER_S):
                await asyncio.wait((first, pending.answer), return_when=asyncio.FIRST_COMPLETED)
                ttft_ms = self._since_ms(begun_s)
                reply = await pending.answer
        except TimeoutError as error:
            raise DaemonError(f"no answer came within {_ANSWER_S:g} s; see `codeassistd logs`") from error
        except LspError as error:
            raise DaemonError(f"the question was not answered ({error}); see `codeassistd logs`") from error
        finally:
            first.cancel()
        total_ms = self._since_ms(begun_s)
        chat, upkeep_ms = await self._settled()
        return TurnCost(
            turn=reply["turn"],
            ttft_ms=ttft_ms,
            total_ms=total_ms,
            n_prompt=reply["n_prompt"],
            n_cached=reply["n_cached"],
            n_cells=chat["n_cells"],
            upkeep_ms=upkeep_ms,
        )

    async def _first_piece(self, n_received: int) -> None:
        """Wait until something is said, beyond the client's own patience, which is that of tests."""
        while True:
            try:
                await self._client.wait_for("$/progress", after=n_received)
            except TimeoutError:
                continue
            return

    async def _settled(self) -> tuple[Mapping[str, Any], float]:
        """The conversation's status once nothing runs for it any more, and how long that took."""
        begun_s = self._clock.monotonic_s()
        while True:
            status = await self._client.request("codeassistd/status")
            (chat,) = (one for one in status["chat"]["conversations"] if one["session"] == _SESSION)
            spent_ms = self._since_ms(begun_s)
            if not chat["is_summarising"]:
                return chat, spent_ms
            if spent_ms > 1000 * _UPKEEP_S:
                raise DaemonError(f"the summary of a conversation took more than {_UPKEEP_S:g} s")
            await self._clock.sleep(_POLL_S)

    def _since_ms(self, begun_s: float) -> float:
        return 1000 * (self._clock.monotonic_s() - begun_s)

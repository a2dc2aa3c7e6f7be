"""Types scripts into a real language server as an editor does, and notes what comes back and when.

It stands where an editor stands: it sends the change of each key and then the request, and knows nothing of the daemon
but what any client may ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from codeassistd.bench.keystrokes import TypingScript, cursor_after
from codeassistd.bench.replies import FileTyped, Reply, is_without_engine
from codeassistd.clock import Clock
from codeassistd.errors import DaemonError
from codeassistd.testing.lsp_client import LspClient, LspError, Pending

__all__ = ["Typist"]

OnKey = Callable[[], None]
"""Told of each key."""

#: What a server may answer to a request that was taken back: cancelled by the client, by the server, or outdated.
_TAKEN_BACK = frozenset({-32800, -32801, -32802})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request under way, after so many keys."""

    pending: Pending
    n_keys: int
    sent_s: float


@dataclass(frozen=True, slots=True)
class _Costs:
    """What the daemon had spent at one moment."""

    cpu_s: float
    n_prompt: int
    n_cached: int


class Typist:
    """One editor window.

    Args:
        client: a connection that has said hello.
        cancels: whether a request is taken back once the next key is typed (VS Code does, Neovim never).
    """

    def __init__(self, client: LspClient, clock: Clock, *, cancels: bool) -> None:
        self._client = client
        self._clock = clock
        self._cancels = cancels

    async def type(self, script: TypingScript, interval_ms: int, on_key: OnKey) -> FileTyped:
        """Open the script's file, ask once, type all keys, and close it again."""
        uri = script.path.as_uri()
        self._client.open(uri, script.before + script.after, script.language)
        first = await self._reply(self._ask(script, 0), script, [0])
        before = await self._costs()
        replies = await self._type_keys(script, interval_ms, on_key)
        after = await self._costs()
        stories = [await self._story(reply.id) for reply in replies if reply.is_shown]
        self._client.close_document(uri)
        known = [story for story in stories if story is not None]
        return FileTyped(
            name=script.path.name,
            interval_ms=interval_ms,
            first=first,
            replies=tuple(replies),
            n_explained=len(known),
            n_without_engine=sum(is_without_engine(story) for story in known),
            cpu_s=after.cpu_s - before.cpu_s,
            n_prompt=after.n_prompt - before.n_prompt,
            n_cached=after.n_cached - before.n_cached,
        )

    async def _type_keys(self, script: TypingScript, interval_ms: int, on_key: OnKey) -> Sequence[Reply]:
        start_s = self._clock.monotonic_s()
        n_typed = [0]
        asked: _Asked | None = None
        reading: list[asyncio.Task[Reply]] = []
        for index, key in enumerate(script.keys):
            if interval_ms:
                due_s = start_s + index * interval_ms / 1000
                await self._clock.sleep(max(0.0, due_s - self._clock.monotonic_s()))
            elif reading:
                await reading[-1]
            self._client.insert(script.path.as_uri(), *cursor_after(script, index), key)
            n_typed[0] = index + 1
            if self._cancels and asked is not None and not asked.pending.done:
                self._client.cancel(asked.pending)
            asked = self._ask(script, index + 1)
            reading.append(asyncio.create_task(self._reply(asked, script, n_typed)))
            on_key()
        return await asyncio.gather(*reading)

    def _ask(self, script: TypingScript, n_keys: int) -> _Asked:
        sent_s = self._clock.monotonic_s()
        pending = self._client.start_completion(script.path.as_uri(), *cursor_after(script, n_keys))
        return _Asked(pending, n_keys, sent_s)

    async def _reply(self, asked: _Asked, script: TypingScript, n_typed: Sequence[int]) -> Reply:
        """The answer to a request; `n_typed` has the number of keys that are typed when it comes."""
        try:
            items = (await _result(asked.pending))["items"]
        except LspError:
            items = []
        item = items[0] if items else None
        return Reply(
            latency_ms=1000 * (self._clock.monotonic_s() - asked.sent_s),
            suggestion=None if item is None else str(item["insertText"]),
            id="" if item is None else str(item["command"]["arguments"][0]),
            since="".join(script.keys[asked.n_keys : n_typed[0]]),
            ahead=script.ahead(asked.n_keys),
        )

    async def _costs(self) -> _Costs:
        status = await self._status()
        times = psutil.Process(status["pid"]).cpu_times()
        completions = status["completions"]
        return _Costs(times.user + times.system, completions["n_prompt"], completions["n_cached"])

    async def _story(self, identity: str) -> dict[str, Any] | None:
        story: dict[str, Any] | None = await _result(self._client.start("codeassistd/explain", {"id": identity}))
        return story

    async def _status(self) -> dict[str, Any]:
        status: dict[str, Any] = await _result(self._client.start("codeassistd/status"))
        return status


async def _result(pending: Pending) -> Any:
    """What the server answers.

    Raises:
        LspError: the request was taken back before.
        DaemonError: the server failed, or does not answer.
    """
    try:
        return await pending.result()
    except LspError as error:
        if error.code in _TAKEN_BACK:
            raise
        raise DaemonError(f"the language server failed ({error}); see `codeassistd logs`") from error
    except TimeoutError as error:
        raise DaemonError("the language server does not answer; see `codeassistd logs`") from error

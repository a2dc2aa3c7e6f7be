"""A small language client: how the command line asks the server what an editor would ask.

It speaks over the standard streams of a `codeassistd lsp --stdio` child, the very road an editor takes, so that what
`complete` and `demo` show is what an editor gets. Standard library only.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from codeassistd.daemon.frames import frame
from codeassistd.errors import DaemonError, UsageError

__all__ = ["LspLink", "OnNotification"]

OnNotification = Callable[[str, Any], None]
"""Told each notification's method and parameters, on the loop."""

_END_TIMEOUT_S = 5.0
_INVALID_PARAMS = -32602


class LspLink:
    """One conversation with a language server, led by us.

    Requests of the server (progress tokens, configuration) are answered with nothing, as a client without these
    features would. Used on one loop; end it with `close`.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_notification: OnNotification,
        process: asyncio.subprocess.Process | None = None,
    ) -> None:
        self._writer = writer
        self._on_notification = on_notification
        self._process = process
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._reading = asyncio.get_running_loop().create_task(self._read(reader))

    @classmethod
    async def spawn(
        cls, command: Sequence[str], on_notification: OnNotification, environ: Mapping[str, str] | None = None
    ) -> LspLink:
        """Start a server that speaks on its standard streams; its standard error is ours.

        It has a session of its own: a Ctrl-C in the terminal is for us, and its end is the end of its standard input.
        """
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, env=environ, start_new_session=True
        )
        if process.stdin is None or process.stdout is None:
            raise DaemonError(f"{command[0]} has no standard streams")
        return cls(process.stdout, process.stdin, on_notification, process)

    async def request(self, method: str, params: object = None) -> Any:
        """Send a request and wait for its result; who stops waiting takes it back.

        Raises:
            DaemonError: the server answered with an error, or is gone.
        """
        identity = next(self._ids)
        answer = asyncio.get_running_loop().create_future()
        self._pending[identity] = answer
        try:
            await self._send({"id": identity, **_call(method, params)})
            return await answer
        except asyncio.CancelledError:
            # To a server that is gone there is nothing to say, and the caller is to hear of the cancelling.
            with contextlib.suppress(DaemonError):
                await self.notify("$/cancelRequest", {"id": identity})
            raise
        finally:
            self._pending.pop(identity, None)

    async def notify(self, method: str, params: object = None) -> None:
        """Send a notification.

        Raises:
            DaemonError: the server is gone.
        """
        await self._send(_call(method, params))

    async def close(self) -> None:
        """Say goodbye as the protocol wants it, and end the child if it does not end by itself."""
        with contextlib.suppress(DaemonError, TimeoutError):
            async with asyncio.timeout(_END_TIMEOUT_S):
                await self.request("shutdown")
                await self.notify("exit")
        self._writer.close()
        if self._process is not None:
            await _ended(self._process)
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError, DaemonError):
            await self._reading

    async def _send(self, message: Mapping[str, object]) -> None:
        if self._reading.done():
            raise DaemonError(_GONE)
        self._writer.write(frame(json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")))
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise DaemonError(_GONE) from error

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while (message := await _next_message(reader)) is not None:
                await self._take(message)
        finally:
            for answer in self._pending.values():
                if not answer.done():
                    answer.set_exception(DaemonError(_GONE))

    async def _take(self, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self._settle(message)
        elif "id" in message:
            await self._send({"id": message["id"], "result": _nothing_for(method, message.get("params"))})
        else:
            self._on_notification(method, message.get("params"))

    def _settle(self, response: Mapping[str, Any]) -> None:
        answer = self._pending.get(response.get("id", 0))
        if answer is None or answer.done():
            return
        if "error" in response:
            answer.set_exception(_failure(response["error"]))
        else:
            answer.set_result(response.get("result"))


def _failure(error: Mapping[str, Any]) -> DaemonError:
    """What the server says, with the exit code of a wrong argument where it was ours that it could not take."""
    failure = DaemonError(str(error.get("message", "the server failed")))
    data = error.get("data")
    told = data.get("exitCode") if isinstance(data, Mapping) else None
    if isinstance(told, int):
        failure.exit_code = told
    elif error.get("code") == _INVALID_PARAMS:
        failure.exit_code = UsageError.exit_code
    return failure


_GONE = "the language server is gone; `codeassistd logs` may tell why"


def _call(method: str, params: object) -> dict[str, object]:
    # The protocol has no `params: null`.
    return {"method": method} if params is None else {"method": method, "params": params}


async def _next_message(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next framed message; None at the end of the stream."""
    length = 0
    while (line := await reader.readline()).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if not line:
        return None
    try:
        message = json.loads(await reader.readexactly(length))
    except asyncio.IncompleteReadError:
        return None
    return message if isinstance(message, dict) else {}


def _nothing_for(method: str, params: Any) -> object:
    """What a client without the feature answers; a configuration has one answer per asked item."""
    if method == "workspace/configuration" and isinstance(params, Mapping):
        return [None for _ in params.get("items", ())]
    return None


async def _ended(process: asyncio.subprocess.Process) -> None:
    try:
        async with asyncio.timeout(_END_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

"""A language server in a process of its own, as an editor starts it, for what is measured through the whole road."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from codeassistd.clock import Clock
from codeassistd.errors import DaemonError
from codeassistd.testing.lsp_client import LspClient

__all__ = ["lsp_process", "until_ready"]

_END_S = 10.0
_POLL_S = 0.05


@contextlib.asynccontextmanager
async def lsp_process(command: Sequence[str], environ: Mapping[str, str]) -> AsyncIterator[LspClient]:
    """A client of the server that `command` starts; at the end its input is closed, and a hung one is ended."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, env=dict(environ))
    if process.stdin is None or process.stdout is None:
        raise DaemonError("the language server has no standard streams")
    try:
        async with LspClient(process.stdout, process.stdin) as client:
            yield client
    finally:
        try:
            async with asyncio.timeout(_END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


async def until_ready(client: LspClient, clock: Clock, timeout_s: float) -> dict[str, Any]:
    """Wait until the model is loaded and the workspace is read; returns the daemon's status.

    Raises:
        DaemonError: the daemon reports an error, or the time is over.
    """
    until_s = clock.monotonic_s() + timeout_s
    while True:
        status: dict[str, Any] = await client.request("codeassistd/status")
        if status["state"] == "ready":
            return status
        if status["state"] == "error":
            raise DaemonError(str(status["detail"]))
        if clock.monotonic_s() > until_s:
            last = f"{status['state']} {status['detail']}".strip()
            raise DaemonError(f"the daemon was not ready within {timeout_s:g} s (last state: {last})")
        await clock.sleep(_POLL_S)

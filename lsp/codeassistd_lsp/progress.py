"""A progress bar in the editor for what the user waits for: the model's load and the first reading of a workspace.

There is one bar at a time, since it follows the daemon's state. Editors that do not let a server start a bar get none.
"""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from codeassistd.daemon.daemon import Daemon
from codeassistd_lsp.rpc import Rpc

__all__ = ["ProgressBar"]

_log = logging.getLogger(__name__)

_TITLES = {"loading": "Loading the model", "indexing": "Indexing the workspace"}


class ProgressBar:
    """The bar of one editor."""

    def __init__(self, rpc: Rpc, daemon: Daemon) -> None:
        self._rpc = rpc
        self._daemon = daemon
        self._changed = asyncio.Event()
        self._state = ""
        self._shown: types.WorkDoneProgressReport | None = None
        self._n_bars = 0

    def poke(self) -> None:
        """The daemon's state may have changed."""
        self._changed.set()

    async def follow(self) -> None:
        """Show what the daemon is busy with, until cancelled or until the editor refuses a bar."""
        try:
            while True:
                self._changed.clear()
                await self._update()
                await self._changed.wait()
        except JsonRpcException as error:
            _log.info("the editor shows no progress: %s", type(error).__name__)

    async def _update(self) -> None:
        state, detail = self._daemon.state()
        if state != self._state:
            if self._state:
                self._send(types.WorkDoneProgressEnd())
                self._state = ""
            if state not in _TITLES:
                return
            await self._begin(state)
        if self._state:
            report = types.WorkDoneProgressReport(message=detail, percentage=self._percentage())
            if report != self._shown:
                self._shown = report
                self._send(report)

    async def _begin(self, state: str) -> None:
        self._n_bars += 1
        token = types.WorkDoneProgressCreateParams(token=self._token)
        await self._rpc.send_request_async(types.WINDOW_WORK_DONE_PROGRESS_CREATE, token)
        self._state, self._shown = state, None
        self._send(types.WorkDoneProgressBegin(title=_TITLES[state], percentage=self._percentage()))

    def _percentage(self) -> int | None:
        """How much of it is done, where that is known."""
        if self._state == "loading":
            return round(100 * self._daemon.engine.status().load_progress)
        if self._daemon.indexer is None:
            return None
        workspaces = self._daemon.indexer.status().workspaces
        n_total = sum(workspace.n_total for workspace in workspaces)
        return round(100 * sum(workspace.n_done for workspace in workspaces) / n_total) if n_total else None

    @property
    def _token(self) -> str:
        return f"codeassistd/{self._n_bars}"

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        self._rpc.notify(types.PROGRESS, types.ProgressParams(token=self._token, value=value))

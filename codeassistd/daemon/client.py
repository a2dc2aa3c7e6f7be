"""The command line's end of a control connection: asks the daemon and waits for the answer."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from codeassistd.daemon.connection import Connection
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError

__all__ = ["ControlClient", "OnProgress"]

OnProgress = Callable[[Mapping[str, Any]], None]
"""Told what a long request reports about itself."""

_MAX_LINE_BYTES = 64 * 1024 * 1024
_GONE = "the daemon ended before it answered; `codeassistd logs` may tell why"


class ControlClient:
    """One open control connection; blocking, for one thread, and a context manager.

    with ControlClient.connect(Launcher(paths)) as daemon:
        print(daemon.call("status")["state"])
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ids = itertools.count(1)

    @classmethod
    def connect(cls, launcher: Launcher) -> Self:
        """Connect to the running daemon.

        Raises:
            DaemonError: there is none, or it does not answer.
        """
        connection = launcher.connect(Kind.CONTROL)
        if connection is None:
            raise DaemonError("no daemon is running; `codeassistd start` starts one")
        return cls(connection)

    @classmethod
    def connect_or_start(cls, launcher: Launcher) -> Self:
        """Connect to the running daemon, or to a new one.

        Raises:
            DaemonError: it cannot be started or does not answer.
        """
        return cls(launcher.connect_or_start(Kind.CONTROL))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(
        self, method: str, params: Mapping[str, object] | None = None, on_progress: OnProgress | None = None
    ) -> Any:
        """Ask, and wait for the result; the methods are listed in `daemon.control`.

        Raises:
            DaemonError: the daemon says why it cannot, or it is gone.
        """
        identity = next(self._ids)
        request = {"jsonrpc": "2.0", "id": identity, "method": method, "params": dict(params or {})}
        try:
            self._connection.send(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise DaemonError(_GONE) from error
        while True:
            message = self._receive()
            if message.get("id") == identity:
                return _result(message)
            if on_progress is not None and "method" in message:
                on_progress(message.get("params") or {})

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _receive(self) -> dict[str, Any]:
        try:
            line = self._connection.read_line(_MAX_LINE_BYTES)
        except OSError as error:
            raise DaemonError(_GONE) from error
        if not line:
            raise DaemonError(_GONE)
        message = json.loads(line)
        return message if isinstance(message, dict) else {}


def _result(message: Mapping[str, Any]) -> Any:
    error = message.get("error")
    if error is None:
        return message.get("result")
    failure = DaemonError(str(error.get("message", "the daemon failed without a reason")))
    failure.exit_code = int((error.get("data") or {}).get("exit_code", 1))
    raise failure

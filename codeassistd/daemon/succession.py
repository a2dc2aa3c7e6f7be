"""How a new daemon takes over from one of another version: it says hello, and the older one retires.

Each version has its own socket, so the two never get in each other's way: the old daemon finishes its sessions and
ends, while new editors are served by the new one.
"""

from __future__ import annotations

from collections.abc import Iterator

from codeassistd.daemon.connection import Connection
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.transport import LoopbackTransport, Transport, UnixTransport
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["greet_predecessors"]

_ANSWER_S = 1.0


def greet_predecessors(paths: Paths) -> None:
    """Say hello to the daemons of other versions; blocks for a moment, so call it on a thread."""
    for transport in _others(paths):
        try:
            connection = Connection.open(transport, Kind.CONTROL, _ANSWER_S)
        except (DaemonError, OSError):
            # It refuses us, as it must: our hello was all that it needed. Or it is none of ours.
            continue
        if connection is not None:
            connection.close()


def _others(paths: Paths) -> Iterator[Transport]:
    for path in sorted(paths.runtime_dir.glob("daemon-*")):
        if path.suffix == ".sock" and path != paths.socket_file:
            yield UnixTransport(path)
        elif path.suffix == ".token" and path != paths.token_file:
            yield LoopbackTransport(path)

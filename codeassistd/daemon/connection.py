"""The client's end of one connection to the daemon, after both sides have introduced themselves.

Blocking, with time limits: the proxy uses it on a thread of its own, the command line has nothing else to do. Standard
library only, since the proxy uses it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

from codeassistd.daemon.hello import MAX_LINE_BYTES, PROTOCOL, Answer, Hello, HelloError, Kind
from codeassistd.daemon.transport import Transport, peer_pid
from codeassistd.errors import DaemonError

__all__ = ["Connection"]


class Connection:
    """An open connection; `read` blocks, `send` may be called from another thread than `read`."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer
        self._reader = peer.makefile("rb")
        self.read_line: Callable[[int], bytes] = self._reader.readline

    @classmethod
    def open(cls, transport: Transport, kind: Kind, timeout_s: float) -> Connection | None:
        """Connect and say hello; None where no daemon listens.

        Raises:
            DaemonError: a daemon is there but does not answer in time, or it refuses; it must not be replaced.
        """
        peer = transport.connect(timeout_s)
        if peer is None:
            return None
        connection = cls(peer)
        try:
            peer.sendall(Hello(kind, token=transport.token()).to_line())
            line = connection.read_line(MAX_LINE_BYTES)
        except TimeoutError as error:
            who = f"the daemon (process {peer_pid(peer)})" if peer_pid(peer) else "the daemon"
            connection.close()
            raise DaemonError(f"{who} does not answer within {timeout_s:g} s; it is stopped or very busy") from error
        except OSError:
            line = b""
        if not line:
            # It closed on us: a daemon on its way out, which is as good as none.
            connection.close()
            return None
        problem = _problem(line)
        if problem:
            connection.close()
            raise DaemonError(problem)
        peer.settimeout(None)
        return connection

    def read(self, most: int) -> bytes:
        """At least one and at most so many bytes; empty when the daemon is gone."""
        try:
            return self._reader.read1(most)
        except (OSError, ValueError):
            # ValueError: closed by `close` on another thread.
            return b""

    def send(self, data: bytes) -> None:
        """Send all of `data`.

        Raises:
            OSError: the daemon is gone.
        """
        self._peer.sendall(data)

    def hang_up(self) -> None:
        """End both directions; a `read` on another thread returns at once. May be called from any thread."""
        try:
            self._peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            # Never connected any more: that is what was wanted.
            return

    def close(self) -> None:
        """Give the socket back; only the thread that reads may call this."""
        self._reader.close()
        self._peer.close()


def _problem(line: bytes) -> str:
    """Why the daemon cannot be talked to, or nothing."""
    try:
        answer = Answer.from_line(line)
    except HelloError:
        return "what answers on the daemon's socket is not a codeassistd; end it and try again"
    if answer.ok and answer.protocol != PROTOCOL:
        return (
            f"the running daemon speaks protocol {answer.protocol}, this program {PROTOCOL}; "
            "`codeassistd stop`, then try again"
        )
    return answer.error

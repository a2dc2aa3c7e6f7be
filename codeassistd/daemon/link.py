"""The proxy's line to the daemon: connects, starts, reads and writes on threads of its own.

What happens is posted to the proxy's main thread, which alone talks to the relay. What is to be sent is queued, so that
a daemon that has stopped reading never stops the proxy. Standard library only, since the proxy uses it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from codeassistd.daemon.connection import Connection
from codeassistd.daemon.frames import FrameError, FrameReader, frame
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.relay import Relay
from codeassistd.errors import DaemonError

__all__ = ["Link", "Post"]

Post = Callable[[Callable[[], None]], None]
"""Has the main thread call something; may be called from any thread."""

_STEADY_S = 10.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 30.0
_WATCH_S = 1.0
#: What a stopped daemon may leave unread before the line is given up; the next daemon is told everything anyway.
_MAX_UNSENT_BYTES = 64 * 1024 * 1024


class Link:
    """One connection after the other; the relay says when the next is wanted, so there is never more than one.

    Args:
        steady_s: a daemon that lives shorter than this counts as one that fails to start.
    """

    def __init__(self, launcher: Launcher, relay: Relay, post: Post, steady_s: float = _STEADY_S) -> None:
        self._launcher = launcher
        self._steady_s = steady_s
        self._relay = relay
        self._post = post
        # Owned by the main thread.
        self._outbox: _Outbox | None = None
        # Owned by the one thread that connects: failures in a row.
        self._n_failures = 0

    def reach(self) -> None:
        """Connect, starting a daemon if there is none; tried until it works, with growing pauses."""
        threading.Thread(target=self._reach, name="link", daemon=True).start()

    def await_daemon(self) -> None:
        """Connect as soon as there is a daemon."""
        threading.Thread(target=self._await, name="link", daemon=True).start()

    def send(self, body: bytes) -> None:
        """Send a message to the daemon; lost if there is none any more, which the relay is about to hear."""
        if self._outbox is not None:
            self._outbox.put(frame(body))

    # --- on the link's thread ---

    def _reach(self) -> None:
        if self._n_failures > 1:
            self._fail(f"the daemon ended {self._n_failures} times in a row; see {self._launcher.paths.log_file}")
        while True:
            try:
                connection = self._launcher.connect(Kind.LSP)
                if connection is None:
                    self._post(self._relay.starting)
                    connection = self._launcher.connect_or_start(Kind.LSP)
            except DaemonError as error:
                self._n_failures += 1
                self._fail(str(error))
            except OSError as error:
                self._n_failures += 1
                self._fail(f"{error.filename or 'socket'}: {error.strerror}")
            else:
                self._talk(connection)
                return

    def _await(self) -> None:
        connection: Connection | None = None
        while connection is None:
            time.sleep(_WATCH_S)
            try:
                connection = self._launcher.connect(Kind.LSP)
            except (DaemonError, OSError):
                # Whatever is the matter there, nobody has asked for it yet.
                continue
        self._talk(connection)

    def _fail(self, cause: str) -> None:
        self._post(partial(self._relay.failed, cause))
        time.sleep(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** max(0, self._n_failures - 2)))

    def _talk(self, connection: Connection) -> None:
        """Pass on what the daemon says until it is gone."""
        began_s = time.monotonic()
        self._post(partial(self._begin, connection))
        frames = FrameReader(connection.read)
        try:
            while (body := frames.next()) is not None:
                self._post(partial(self._relay.from_daemon, body))
        except FrameError:
            # What else it may send cannot be understood: as good as gone.
            pass
        finally:
            connection.hang_up()
            connection.close()
        self._n_failures = 0 if time.monotonic() - began_s > self._steady_s else self._n_failures + 1
        self._post(self._end)

    # --- posted, so on the main thread ---

    def _begin(self, connection: Connection) -> None:
        self._outbox = _Outbox(connection)
        self._relay.connected()

    def _end(self) -> None:
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None
        self._relay.lost()


class _Outbox:
    """Sends in order on a thread of its own; gives the connection up if that takes too much memory."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        # Each number has one writer: the main thread, and the sending thread.
        self._n_put = 0
        self._n_sent = 0
        threading.Thread(target=self._run, name="outbox", daemon=True).start()

    def put(self, data: bytes) -> None:
        self._n_put += len(data)
        if self._n_put - self._n_sent > _MAX_UNSENT_BYTES:
            self._connection.hang_up()
        else:
            self._queue.put(data)

    def close(self) -> None:
        self._queue.put(None)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._connection.send(data)
            except OSError:
                # The reading side notices too, and tells.
                self._connection.hang_up()
                return
            self._n_sent += len(data)

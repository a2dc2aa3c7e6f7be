"""`codeassistd lsp --stdio`: the small process that an editor starts for each window.

It answers `initialize` by itself within milliseconds, finds or starts the daemon, and passes messages on; what it says
when is decided in `relay`, the line to the daemon is `link`. Here is what touches the process: the standard streams,
the main loop, and the end. Standard library only: a window costs an editor this process's start and memory.

Nothing but framed messages may reach standard output, so its descriptor is moved away where no print can find it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

from codeassistd.daemon.frames import FrameError, FrameReader, frame
from codeassistd.daemon.relay import Relay
from codeassistd.streams import STDERR, STDIN, STDOUT, fill_closed_streams

if TYPE_CHECKING:
    from codeassistd.daemon.link import Link, Post

__all__ = ["MakeLink", "Proxy", "main"]

MakeLink: TypeAlias = "Callable[[Relay, Post], Link]"
"""Makes the line to the daemon when it is first needed."""

#: How often a quiet proxy looks whether its editor still lives, for systems where its death does not close the pipe.
_LOOK_S = 2.0
_LEFT_WITHOUT_GOODBYE = 1


def main(argv: Sequence[str]) -> int:
    """Serve one editor on the standard streams; returns the exit code. `argv` holds flags that editors append."""
    del argv
    # Ctrl-C in a terminal ends it without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    source, sink = _claim_streams()
    return Proxy(source, sink, _link_to_daemon).run()


class Proxy:
    """One editor's connection, over two file descriptors; implements `relay.Wires`."""

    def __init__(self, source: int, sink: int, make_link: MakeLink) -> None:
        """Read the editor's messages from `source` and write ours to `sink`."""
        self._source, self._sink = source, sink
        self._make_link = make_link
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._relay = Relay(self)
        self._link: Link | None = None
        self._exit_code: int | None = None
        self._parent = os.getppid()

    def run(self) -> int:
        """Serve until the editor leaves; returns the exit code."""
        threading.Thread(target=self._read_editor, name="editor", daemon=True).start()
        while self._exit_code is None:
            try:
                event = self._events.get(timeout=_LOOK_S)
            except Empty:
                if not self._editor_lives():
                    self._exit_code = _LEFT_WITHOUT_GOODBYE
                continue
            event()
            if self._relay.exit_code is not None:
                self._exit_code = self._relay.exit_code
        return self._exit_code

    def to_editor(self, body: bytes) -> None:
        """Write a framed message; an editor that has closed the pipe has left."""
        data = memoryview(frame(body))
        try:
            while data:
                data = data[os.write(self._sink, data) :]
        except OSError:
            self._exit_code = _LEFT_WITHOUT_GOODBYE

    def to_daemon(self, body: bytes) -> None:
        """Queue a message for the daemon."""
        self._line().send(body)

    def reach(self) -> None:
        """Connect to the daemon on another thread."""
        self._line().reach()

    def await_daemon(self) -> None:
        """Wait for a daemon on another thread."""
        self._line().await_daemon()

    def _line(self) -> Link:
        if self._link is None:
            self._link = self._make_link(self._relay, self._events.put)
        return self._link

    def _read_editor(self) -> None:
        """Post what the editor says; on a thread of its own, since a pipe cannot be waited for beside a queue."""
        frames = FrameReader(partial(os.read, self._source))
        try:
            while (body := frames.next()) is not None:
                self._events.put(partial(self._relay.from_editor, body))
        except (FrameError, OSError) as error:
            sys.stderr.write(f"codeassistd: cannot understand the editor: {error}\n")
        self._events.put(self._editor_left)

    def _editor_left(self) -> None:
        if self._exit_code is None:
            self._exit_code = 0 if self._relay.is_shut_down else _LEFT_WITHOUT_GOODBYE

    def _editor_lives(self) -> bool:
        """Whether the process that introduced itself, or else our parent, is still there."""
        if sys.platform == "win32":
            # There the system closes the pipe, and a look at a process may end it.
            return True
        pid = self._relay.editor_pid
        return _exists(pid) if pid is not None else os.getppid() == self._parent


def _link_to_daemon(relay: Relay, post: Post) -> Link:
    # Sockets and child processes take longer to import than all else; by now `initialize` is answered.
    from codeassistd.daemon.launcher import Launcher  # noqa: PLC0415 - see above
    from codeassistd.daemon.link import Link  # noqa: PLC0415 - see above
    from codeassistd.paths import Paths  # noqa: PLC0415 - see above

    return Link(Launcher(Paths.resolve()), relay, post)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _claim_streams() -> tuple[int, int]:
    """The editor's two streams as descriptors that nobody else knows; prints go to standard error from now on."""
    fill_closed_streams()
    source, sink = os.dup(STDIN), os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists there only

        for stream in (source, sink):
            msvcrt.setmode(stream, os.O_BINARY)
    return source, sink

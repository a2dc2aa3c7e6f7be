"""`logs [-f] [-n]`: the daemon's log."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["LogTail", "register"]

_POLL_S = 0.2


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("logs")(_logs)


def _logs(
    *,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on with new lines until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("-n", "--lines", min=0, help="Print this many of the last lines.")] = 50,
) -> None:
    """Print the end of the daemon's log. Exit code 1 if there is none yet."""
    path = Paths.resolve().log_file
    try:
        with path.open(encoding="utf-8", errors="replace") as log:
            newest = deque(log, maxlen=lines)
    except FileNotFoundError:
        if not follow:
            typer.echo(f"codeassistd: there is no log yet at {path}; `codeassistd start` makes one", err=True)
            raise typer.Exit(1) from None
        newest = deque()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}; `codeassistd doctor` may know why") from error
    # Not while it is read: what goes wrong with standard output is not the log's.
    for line in newest:
        typer.echo(line, nl=False)
    if follow:
        tail = LogTail(path)
        while True:
            typer.echo(tail.added(), nl=False)
            time.sleep(_POLL_S)


class LogTail:
    """What is added to a log from now on, also after it was rotated away and begun anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = self._size()

    def added(self) -> str:
        """The text since the last call."""
        size = self._size()
        if size < self._offset:
            # A smaller file is a new one: the old one was rotated to another name.
            self._offset = 0
        if size == self._offset:
            return ""
        with self._path.open("rb") as log:
            log.seek(self._offset)
            text = log.read()
        self._offset += len(text)
        return text.decode("utf-8", "replace")

    def _size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

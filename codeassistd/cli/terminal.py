"""The two streams of the command line: answers on standard output, everything else on standard error.

What takes long moves on a terminal only: a bar, a spinner. Elsewhere (a pipe, a log of a build) each long step is one
plain line as it begins, and the answer is its end.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.status import Status
from rich.table import Table
from rich.text import Text

__all__ = [
    "Steps",
    "agree_or_leave",
    "answers",
    "byte_progress",
    "harmless",
    "is_conversation",
    "notices",
    "print_table",
    "share_progress",
    "steps",
]

# Wider than any table of ours.
_UNBOUNDED = 10_000
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def answers() -> Console:
    """Standard output; long lines are left whole, so that a pipe or a copy gets them as they are."""
    return Console(highlight=False, soft_wrap=True)


def notices() -> Console:
    """Standard error: progress, reasons, hints."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def is_conversation() -> bool:
    """Whether there is somebody to ask."""
    # What was started with a closed stream has none.
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def agree_or_leave(question: str, left: str) -> None:
    """Ask on standard error; without agreement the verb ends with `left` and exit code 1, so that a chain ends, too.

    Raises:
        typer.Exit: the answer was no, as it is where Enter is all that was pressed.
    """
    if not typer.confirm(question, err=True):
        typer.echo(left, err=True)
        raise typer.Exit(1)


def harmless(text: str) -> str:
    """Code or a model's words for standard output: a terminal gets none of the letters that command it.

    Line breaks and tabs stay; a file or a pipe gets all as it is.
    """
    return _CONTROLS.sub("", text) if sys.stdout is not None and sys.stdout.isatty() else text


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Print columns on standard output, as wide as they are: nothing is cut, neither in a pipe nor in a terminal."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    for row in rows:
        # Strings would be read as markup.
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    # A console narrower than the table would cut its columns.
    console = answers()
    wanted = Measurement.get(console, console.options.update(max_width=_UNBOUNDED), table).maximum
    console.width = max(console.width, wanted)
    console.print(table)


class Steps:
    """What is waited for: told to a spinner, or, where there is none, once for each step."""

    def __init__(self, console: Console, spinner: Status | None) -> None:
        self._console = console
        self._spinner = spinner
        self._told: set[str] = set()

    def begin(self, step: str, detail: str = "") -> None:
        """A step begins, or goes on with another `detail`, which only a spinner shows."""
        if self._spinner is not None:
            self._spinner.update(Text(f"{step} {detail}".strip()))
        elif step not in self._told:
            self._told.add(step)
            self._console.print(Text(step))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The spinner is away meanwhile, so that an answer can be printed where it stood."""
        if self._spinner is not None:
            self._spinner.stop()
        try:
            yield
        finally:
            if self._spinner is not None:
                self._spinner.start()


@contextmanager
def steps(first: str, console: Console | None = None) -> Iterator[Steps]:
    """Tell of steps on standard error, or on `console`; a spinner shows `first` until one begins."""
    console = console or notices()
    if not console.is_terminal:
        yield Steps(console, None)
        return
    with console.status(Text(first)) as spinner:
        yield Steps(console, spinner)


def byte_progress() -> Progress:
    """A bar for a download; silent where standard error is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return _progress(*columns)


def share_progress() -> Progress:
    """A bar from 0 to 100 %; silent where standard error is not a terminal."""
    return _progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())


def _progress(*columns: BarColumn | DownloadColumn | TaskProgressColumn | TextColumn | TimeRemainingColumn) -> Progress:
    console = notices()
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

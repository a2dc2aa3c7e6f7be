"""The two streams of the command line: answers on standard output, everything else on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

__all__ = ["answers", "byte_progress", "notices", "print_table", "share_progress"]

# Wider than any table of ours.
_UNBOUNDED = 10_000


def answers() -> Console:
    """Standard output; long lines are left whole, so that a pipe or a copy gets them as they are."""
    return Console(highlight=False, soft_wrap=True)


def notices() -> Console:
    """Standard error: progress, reasons, hints."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


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

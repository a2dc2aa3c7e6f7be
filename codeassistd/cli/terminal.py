"""The two streams of the command line: answers on standard output, everything else on standard error."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

__all__ = ["answers", "byte_progress", "notices", "share_progress"]


def answers() -> Console:
    """Standard output; long lines are left whole, so that a pipe or a copy gets them as they are."""
    return Console(highlight=False, soft_wrap=True)


def notices() -> Console:
    """Standard error: progress, reasons, hints."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


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

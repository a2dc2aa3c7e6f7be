"""`metrics`: what users wait for, what the engine does, and what it takes; once, or moving."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from codeassistd.cli.metrics_view import History, screen
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["register"]

_PERIOD_S = 1.0


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("metrics")(_metrics)


def _metrics(
    *,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, second by second, until Ctrl-C.")] = False,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print all that is counted, as Prometheus reads it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print what users wait for, what the engine does and what it takes, and what holds them up most.

    Figures are of the newest 200 requests and of the time since the daemon was started; with --watch of each second.
    Where standard output is no terminal, --watch prints once.
    """
    if prometheus and (watch or as_json):
        raise UsageError("--prometheus prints once, in a form of its own; leave --watch and --json away")
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        if prometheus:
            typer.echo(daemon.call("metrics.text")["text"], nl=False)
            return
        answer = daemon.call("metrics")
        if as_json:
            typer.echo(_report(answer).as_json())
            return
        console = answers()
        if watch and console.is_terminal:
            _watch(daemon, console)
        else:
            console.print(_as_one(answer, History(), console))


def _watch(daemon: ControlClient, console: Console) -> None:
    """Ask and draw until the user has seen enough, which is no error."""
    history = History()
    try:
        # An own screen, which leaves the one before as it was.
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(_PERIOD_S)
                answer = daemon.call("metrics")
                history.add(answer["figures"])
                live.update(_as_one(answer, history, console), refresh=True)
    except KeyboardInterrupt:
        return


def _as_one(answer: Mapping[str, Any], history: History, console: Console) -> Text:
    is_plain = not console.encoding.startswith("utf")
    return Text("\n").join(screen(answer, history, is_plain=is_plain))


def _report(answer: Mapping[str, Any]) -> Report:
    figures = {**answer["figures"], "bottleneck": answer["bottleneck"]}
    return Report("metrics", figures=figures, rows=answer["requests"])

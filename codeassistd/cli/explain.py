"""`explain show [ID]`, `explain list`: how requests went, from the spans the daemon keeps of them.

They hold no source text. Only `--text` asks for it, and gets it from the daemon's memory while it is kept there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.text import Text

from codeassistd.cli.explain_view import list_rows, part_rows, story_lines, summary_rows
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, harmless, print_table
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    explain = typer.Typer(help="How a request went, and why nothing came.")
    explain.command("show")(_show)
    explain.command("list")(_list)
    app.add_typer(explain, name="explain")


def _show(
    identity: Annotated[
        str, typer.Argument(metavar="[ID]", help="Id of a suggestion; default: the newest request.")
    ] = "",
    *,
    text: Annotated[
        bool,
        typer.Option(
            "--text", help="Show the source text too: the prompt, the answer, and what each filter made of it."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print how one request went: gate, times, tokens and their caches, guesses, filters, and why nothing came."""
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        span = daemon.call("spans.explain", {**({"id": identity} if identity else {}), "text": text})
    if span is None:
        wanted = f"request {identity} is not kept (any more)" if identity else "there was no request yet"
        raise DaemonError(f"{wanted}; the daemon keeps the last ones only")
    if as_json:
        typer.echo(_report(span).as_json())
        return
    print_table(("request", ""), summary_rows(span))
    if span["parts"]:
        print_table(("part of the prompt", "tokens", "cached", "score"), part_rows(span))
    if text:
        _print_story(span["story"])


def _list(*, as_json: AsJson = False) -> None:
    """Print the kept requests, the newest first."""
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        requests = daemon.call("spans.list")
    if as_json:
        typer.echo(Report("explain list", figures={"n_requests": len(requests)}, rows=requests).as_json())
        return
    print_table(("request", "at", "trigger", "outcome", "from", "time", "cached", "because"), list_rows(requests))


def _print_story(story: Mapping[str, Any] | None) -> None:
    if story is None:
        answers().print(Text("no text is kept of it: it was never asked of the model, or its editor has left"))
        return
    for line in story_lines(story):
        answers().print(Text(harmless(line.plain), style=line.style))


def _report(span: Mapping[str, Any]) -> Report:
    figures = dict(span)
    return Report("explain show", figures=figures, rows=figures.pop("parts"))

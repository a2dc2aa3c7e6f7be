"""`explain show [ID]`: how a request went, from the span the daemon keeps of it. It holds no source text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import print_table
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    explain = typer.Typer(help="How a request went, and why nothing came.")
    # With one sub-verb alone the parser would do away with its name.
    explain.callback()(_group)
    explain.command("show")(_show)
    app.add_typer(explain, name="explain")


def _group() -> None:
    """How a request went, and why nothing came."""


def _show(
    identity: Annotated[
        str, typer.Argument(metavar="[ID]", help="Id of a suggestion; default: the newest request.")
    ] = "",
    *,
    as_json: AsJson = False,
) -> None:
    """Print times, tokens and the parts of the prompt of one request."""
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        span = daemon.call("spans.explain", {"id": identity} if identity else {})
    if span is None:
        wanted = f"request {identity} is not kept (any more)" if identity else "there was no request yet"
        raise DaemonError(f"{wanted}; the daemon keeps the last ones only")
    if as_json:
        typer.echo(_report(span).as_json())
        return
    print_table(("request", ""), ((name, _shown(value)) for name, value in span.items() if name != "parts"))
    print_table(("part", "tokens"), ((part["name"], str(part["n_tokens"])) for part in span["parts"]))


def _report(span: Mapping[str, Any]) -> Report:
    figures = dict(span)
    return Report("explain show", figures=figures, rows=figures.pop("parts"))


def _shown(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)

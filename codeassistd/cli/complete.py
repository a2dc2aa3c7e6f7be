"""`complete FILE:LINE:COL`: one suggestion on the terminal, by the road an editor takes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from codeassistd.cli.editor import Buffer, Editor, ServerState, language_of, workspace_of
from codeassistd.cli.options import AsJson
from codeassistd.cli.place import Place
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import harmless, steps
from codeassistd.config_layers import load
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths

__all__ = ["register"]

_TIMEOUT_S = 120.0


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("complete")(_complete)


def _complete(
    place: Annotated[str, typer.Argument(metavar="FILE:LINE:COL", help="The cursor, both numbers from 1.")],
    *,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Take the file's text from standard input, as for an unsaved file.")
    ] = False,
    language: Annotated[str, typer.Option("--language", help="LSP language id; default: by the file's name.")] = "",
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=1, help="Seconds to wait for the model to load.")
    ] = _TIMEOUT_S,
    as_json: AsJson = False,
) -> None:
    """Print what an editor would suggest at a place of a file.

    Exit code 0 with a suggestion; 1 without one, and the reason on standard error.
    """
    cursor = Place.parse(place, sys.stdin.buffer.read() if stdin else None)
    buffer = Buffer(cursor.path.as_uri(), language or language_of(cursor.path), cursor.text, cursor.offset)
    _check_settings(Paths.resolve())
    suggestion, span = asyncio.run(_ask(cursor, buffer, timeout_s))
    if as_json:
        typer.echo(_report(cursor, buffer, suggestion, span).as_json())
    elif suggestion is not None:
        typer.echo(harmless(suggestion))
    if suggestion is None:
        typer.echo(f"codeassistd: no suggestion: {_reason(span)}", err=True)
        raise typer.Exit(1)


def _check_settings(paths: Paths) -> None:
    """Tell a mistake in the settings as `start` does: a new daemon would refuse them, one that runs has its own."""
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        load(paths)
    else:
        connection.close()


async def _ask(cursor: Place, buffer: Buffer, timeout_s: float) -> tuple[str | None, dict[str, Any]]:
    """The suggestion and the span of its request."""
    with steps("starting") as told:

        def show(state: ServerState) -> None:
            # The other states are over in a moment, and a pipe need not hear of them.
            if state.state == "loading":
                told.begin("loading the model", state.detail)

        editor = Editor(workspace_of(cursor.path), show, lambda warning: typer.echo(warning, err=True))
        try:
            await editor.open()
            await editor.wait(lambda state: state.is_able, timeout_s)
            suggestion = await editor.suggest(buffer)
            return suggestion, await editor.explain()
        finally:
            await editor.close()


def _reason(span: Mapping[str, Any]) -> str:
    return str(span.get("reason") or span.get("outcome") or "the model had nothing to add")


def _report(cursor: Place, buffer: Buffer, suggestion: str | None, span: Mapping[str, Any]) -> Report:
    parts = span.get("parts", ())
    return Report(
        command="complete",
        asked={"file": str(cursor.path), "line": cursor.line, "column": cursor.column},
        effective={"language": buffer.language, "offset": buffer.offset},
        figures={"suggestion": suggestion, **{key: value for key, value in span.items() if key != "parts"}},
        rows=[dict(part) for part in parts],
    )

"""`demo`: the whole road with the real model, in directories of its own.

It pulls the starter, starts a daemon, completes a few cursors of this repository through a real `codeassistd lsp
--stdio` child, and stops the daemon. Nothing outside of `--home` is written, and no file is changed: the rest of the
cursor's line is cut in the unsaved text only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.cli.demo_view import show
from codeassistd.cli.editor import Buffer, Editor, ServerState, language_of, workspace_of
from codeassistd.cli.model import pull_with_bar
from codeassistd.cli.place import Place
from codeassistd.cli.terminal import Steps, answers, steps
from codeassistd.config_layers import as_variables
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.errors import UsageError
from codeassistd.paths import Paths, child_environment, make_private_dir
from codeassistd.text import Text

__all__ = ["MARKERS", "Marker", "demo_environment", "register"]

_MODEL = "starter"
_TIMEOUT_S = 300.0
#: What is waited for in each state of the server.
_STEPS = {"starting": "starting the daemon", "loading": "loading the model", "indexing": "reading the workspace"}
#: Where the demo is killed and cannot stop its daemon, that ends by itself, since no editor ever comes.
_IDLE_EXIT_S = "20"


@dataclass(frozen=True, slots=True)
class Marker:
    """A place that survives edits of its file: after this text."""

    path: str
    after: str

    def place(self, root: Path) -> Place:
        """Where the marker is now.

        Raises:
            UsageError: `root` has no such file, or the file no such text.
        """
        path = root / self.path
        text = Text.of(path.read_bytes()) if path.is_file() else Text.of("")
        found = text.content.find(self.after.encode())
        if found < 0:
            raise UsageError(
                f"{path} does not hold {self.after!r}; run the demo in a clone of codeassistd, or name places"
            )
        offset = found + len(self.after.encode())
        line = text.line_of(offset)
        return Place(path.absolute(), text, line + 1, len(text.content[text.line_start(line) : offset].decode()) + 1)


#: What is completed where the user names no places.
MARKERS = (
    Marker("codeassistd/clock.py", '"""Seconds since 1970."""\n        return '),
    Marker("codeassistd/text.py", "def __eq__(self, other: object) -> bool:\n        return "),
    Marker(
        "codeassistd/documents/change.py", '"""Where the inserted bytes end, in the newer text."""\n        return '
    ),
)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("demo")(_demo)


def _demo(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE:LINE:COL]...", help="Cursors; default: three of this repository."),
    ] = None,
    *,
    home: Annotated[
        Path, typer.Option("--home", help="Folder for the model, the index and the daemon's files.")
    ] = Path(".demo"),
) -> None:
    """Complete a few cursors of this repository with the real model, and show how long that takes."""
    cursors = [Place.parse(place) for place in places or ()] or [marker.place(Path.cwd()) for marker in MARKERS]
    root = next((folder for cursor in cursors if (folder := workspace_of(cursor.path))), Path.cwd())
    environ = demo_environment(home)
    paths = Paths.resolve(environ)
    _keep_out_of_git(home)
    pull_with_bar(Catalogue(paths), _MODEL, accept_licence=False)
    n_shown = asyncio.run(_run(root, cursors, environ, paths))
    if n_shown == 0:
        typer.echo(f"codeassistd: no suggestion came; the daemon's log is {paths.log_file}", err=True)
        raise typer.Exit(1)


def demo_environment(home: Path) -> dict[str, str]:
    """The variables for the demo's processes: all files in `home`, and a daemon that does not outlive the demo."""
    return {
        **child_environment(),
        **as_variables({"daemon.idle_exit_s": _IDLE_EXIT_S}),
        "CODEASSISTD_HOME": str(home.absolute()),
    }


def _keep_out_of_git(home: Path) -> None:
    make_private_dir(home)
    (home / ".gitignore").write_text("*\n", encoding="utf-8")


async def _run(root: Path, cursors: Sequence[Place], environ: dict[str, str], paths: Paths) -> int:
    """Complete all cursors; returns how many suggestions came."""
    console, n_shown = answers(), 0
    with steps("starting the daemon") as told:
        editor = Editor(root, lambda state: _tell(told, state))
        try:
            await editor.open(environ)
            await editor.wait(lambda state: state.state == "ready", _TIMEOUT_S)
            for cursor in cursors:
                buffer = _buffer(cursor)
                suggestion = await editor.suggest(buffer)
                span = await editor.explain()
                with told.aside():
                    show(console, _title(cursor, root), buffer, suggestion, span)
                n_shown += suggestion is not None
        finally:
            await editor.close()
            await asyncio.to_thread(stop_daemon, paths)
    return n_shown


def _tell(told: Steps, state: ServerState) -> None:
    told.begin(_STEPS.get(state.state, "completing"), state.detail)


def _title(cursor: Place, root: Path) -> str:
    name = cursor.path.relative_to(root) if cursor.path.is_relative_to(root) else cursor.path
    return f"{name}:{cursor.line}:{cursor.column}"


def _buffer(cursor: Place) -> Buffer:
    """The document as it is on disk, but without the rest of the cursor's line."""
    end = cursor.text.line_end(cursor.line - 1)
    content = cursor.text.content[: cursor.offset] + cursor.text.content[end:]
    return Buffer(cursor.path.as_uri(), language_of(cursor.path), Text.of(content), cursor.offset)

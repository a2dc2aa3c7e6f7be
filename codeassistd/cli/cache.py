"""`cache clear`: what is kept of prompts over a restart."""

from __future__ import annotations

import typer

from codeassistd.engine.state_folder import clear_states
from codeassistd.errors import StoreError
from codeassistd.paths import Paths

__all__ = ["register"]

_MB = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    cache = typer.Typer(help="What is kept of prompts over a restart.")
    # Without a second verb the parser would take `clear` for an argument.
    cache.callback()(_cache)
    cache.command("clear")(_clear)
    app.add_typer(cache, name="cache")


def _cache() -> None:
    # It has sub-verbs only.
    pass


def _clear() -> None:
    """Remove all prompts kept on disk; a daemon that runs keeps those in its memory, and saves them when it stops."""
    folder = Paths.resolve().kv_dir
    try:
        n_files, n_bytes = clear_states(folder)
    except OSError as error:
        raise StoreError(f"cannot remove the files in {folder}: {error.strerror or error}") from error
    typer.echo(f"removed {n_files} files ({n_bytes / _MB:.1f} MB) from {folder}")

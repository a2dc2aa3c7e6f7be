"""`cache clear`: what is kept of prompts and answers over a restart."""

from __future__ import annotations

import typer

from codeassistd.completion.semantic.store import remove_files
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.engine.state_folder import clear_states
from codeassistd.errors import StoreError
from codeassistd.paths import Paths

__all__ = ["register"]

_MB = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    cache = typer.Typer(help="What is kept of prompts and answers over a restart.")
    # Without a second verb the parser would take `clear` for an argument.
    cache.callback()(_cache)
    cache.command("clear")(_clear)
    app.add_typer(cache, name="cache")


def _cache() -> None:
    # It has sub-verbs only.
    pass


def _clear() -> None:
    """Remove all prompts and answers kept on disk.

    A daemon that runs forgets the answers too. Prompts in its memory it keeps, and saves them when it stops.
    """
    paths = Paths.resolve()
    removed: list[tuple[int, int]] = []
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is not None:
        with ControlClient(connection) as daemon:
            answers = daemon.call("cache.clear")
            removed.append((answers["n_files"], answers["n_bytes"]))
    removed.append(remove_files(paths.semantic_dir))
    try:
        removed.append(clear_states(paths.kv_dir))
    except OSError as error:
        raise StoreError(f"cannot remove the files in {paths.kv_dir}: {error.strerror or error}") from error
    n_files, n_bytes = (sum(numbers) for numbers in zip(*removed, strict=True))
    files = "file" if n_files == 1 else "files"
    typer.echo(f"removed {n_files} {files} ({n_bytes / _MB:.1f} MB) from {paths.cache_dir}")

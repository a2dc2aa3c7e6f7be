"""`model list | pull | use | remove | draft | quantise`: the models on this machine and those that can be had."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import Progress, TaskID
from rich.text import Text

from codeassistd.catalogue.catalogue import Catalogue, ModelEntry, PullProgress, accept_none
from codeassistd.catalogue.manifest import Licence
from codeassistd.cli.model_draft import draft
from codeassistd.cli.model_quantise import quantise
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import byte_progress, notices, print_table
from codeassistd.config_layers import load
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.model_files import chosen_model
from codeassistd.engine.request import EngineState
from codeassistd.paths import Paths

__all__ = ["PullBars", "pull_with_bar", "register", "reload_running"]

_MEGABYTE = 1_000_000
#: States of an engine that has no model in memory and loads none.
_WITHOUT_MODEL = frozenset({EngineState.EMPTY, EngineState.FAILED})

_NameOrPath = Annotated[str, typer.Argument(metavar="NAME|PATH", help="A model of `model list`, or a GGUF file.")]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    model = typer.Typer(help="The models: fetch, choose, remove.")
    model.command("list")(_list)
    model.command("pull")(_pull)
    model.command("use")(_use)
    model.command("remove")(_remove)
    model.command("draft")(draft)
    model.command("quantise")(quantise)
    app.add_typer(model, name="model")


def pull_with_bar(catalogue: Catalogue, name: str, *, accept_licence: bool) -> str:
    """Pull a model under a progress bar; returns the path of its file."""
    progress = byte_progress()
    accept = _accept_and_say if accept_licence else accept_none
    with progress:
        return str(catalogue.pull(name, PullBars(progress, name), accept).path)


def _list(*, as_json: AsJson = False) -> None:
    """List all models: those here, those that can be pulled, and the one in use."""
    catalogue = Catalogue(Paths.resolve())
    entries = catalogue.entries()
    if as_json:
        typer.echo(Report("model list", figures=_figures(entries), rows=[_row(entry) for entry in entries]).as_json())
        return
    print_table(("", "name", "here", "size", "licence", "title"), (_line(entry) for entry in entries))


def _pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model of `model list`.")],
    *,
    accept_licence: Annotated[
        bool, typer.Option("--accept-licence", help="Accept the model's licence, which is printed.")
    ] = False,
) -> None:
    """Fetch a model, check its hash and keep it; goes on where an earlier pull broke off.

    A running daemon that was waiting for this model loads it at once.
    """
    paths = Paths.resolve()
    catalogue = Catalogue(paths)
    typer.echo(pull_with_bar(catalogue, name, accept_licence=accept_licence))
    if chosen_model(catalogue, load(paths).settings.model) != name:
        return
    with _running_daemon(paths) as daemon:
        if daemon is not None and daemon.call("status")["model"]["state"] in _WITHOUT_MODEL:
            _reload(daemon)


def _use(name_or_path: _NameOrPath) -> None:
    """Choose the model that the daemon loads; a running daemon loads it at once."""
    # Takes 0.3 s, which the other verbs need not wait for.
    from codeassistd.engine.llama.header import read_header  # noqa: PLC0415 - see above

    paths = Paths.resolve()
    catalogue = Catalogue(paths)
    # A choice is remembered; a file that can never be loaded must not become it.
    read_header(catalogue.resolve(name_or_path).path)
    typer.echo(str(catalogue.use(name_or_path).path))
    origin = load(paths).origins["model.name"]
    if origin != "default":
        notices().print(f"codeassistd: model.name is set in {escape(origin)}, which outranks this choice")
    reload_running(paths)


def reload_running(paths: Paths) -> None:
    """Have a running daemon load the model that is in force now."""
    with _running_daemon(paths) as daemon:
        if daemon is not None:
            _reload(daemon)


def _remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model that was pulled, or made by `model draft`.")],
) -> None:
    """Delete a pulled model with everything made from it, or a draft model."""
    freed = Catalogue(Paths.resolve()).remove(name)
    typer.echo(f"removed {name}: {freed // _MEGABYTE:,} MB freed")


@contextmanager
def _running_daemon(paths: Paths) -> Iterator[ControlClient | None]:
    """The daemon, if one runs."""
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        yield None
        return
    with ControlClient(connection) as daemon:
        yield daemon


def _reload(daemon: ControlClient) -> None:
    daemon.call("model.reload")
    notices().print("the running daemon loads it now; `codeassistd status` shows how far it is")


def _line(entry: ModelEntry) -> tuple[str | Text, ...]:
    row = _row(entry)
    size_bytes = row["size_bytes"]
    return (
        "*" if entry.is_current else "",
        Text(entry.name, style="bold" if entry.path else ""),
        "yes" if entry.path else "",
        f"{size_bytes // _MEGABYTE:,} MB" if isinstance(size_bytes, int) and size_bytes else "",
        str(row["licence"]),
        str(row["title"]),
    )


class PullBars:
    """Shows the steps of a pull, one bar each; without a terminal one line each, as they begin."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, step: PullProgress) -> None:
        """Show how far the pull is; an `OnProgress`."""
        if step.what not in self._tasks:
            if self._progress.disable:
                size = f" ({step.total_bytes // _MEGABYTE:,} MB)" if step.total_bytes else ""
                notices().print(Text(f"{self._name}: {step.what}{size}"))
            self._tasks[step.what] = self._progress.add_task(escape(f"{self._name}: {step.what}"), total=None)
        self._progress.update(self._tasks[step.what], completed=step.done_bytes, total=step.total_bytes)


def _accept_and_say(licence: Licence) -> bool:
    notices().print(f"accepted: {escape(licence.name)} {escape(licence.url)}")
    return True


def _figures(entries: list[ModelEntry]) -> dict[str, object]:
    return {
        "n_models": len(entries),
        "n_here": sum(entry.path is not None for entry in entries),
        "current": next((entry.name for entry in entries if entry.is_current), None),
    }


def _row(entry: ModelEntry) -> dict[str, object]:
    manifest = entry.manifest
    on_disk = entry.path.stat().st_size if entry.path and entry.path.exists() else 0
    return {
        "name": entry.name,
        "title": manifest.title if manifest else "",
        "path": str(entry.path) if entry.path else None,
        "is_current": entry.is_current,
        "size_bytes": on_disk or (manifest.size_bytes if manifest else 0),
        "sha256": entry.sha256,
        "licence": manifest.licence.name if manifest else "",
        "licence_url": manifest.licence.url if manifest else "",
        "needs_acceptance": bool(manifest and manifest.licence.needs_acceptance),
        "context_length": manifest.context_length if manifest else 0,
    }

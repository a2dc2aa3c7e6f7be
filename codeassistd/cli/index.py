"""`index build | rebuild | search | status`: the symbol index, through the daemon, which is its only writer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.text import Text

from codeassistd.cli.options import AsJson, folder
from codeassistd.cli.report import Report
from codeassistd.cli.status_view import workspace_rows
from codeassistd.cli.terminal import answers, notices, print_table, share_progress
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths

__all__ = ["register"]

_LIMIT = 8
_MAX_LIMIT = 1000
_HEADINGS = ("workspace", "phase", "files", "symbols", "watching")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    index = typer.Typer(help="The symbol index of the workspaces.")
    index.command("build")(_build)
    index.command("rebuild")(_rebuild)
    index.command("search")(_search)
    index.command("status")(_status)
    app.add_typer(index, name="index")


def _build(
    path: Annotated[Path, typer.Argument(metavar="[PATH]", help="Root of a workspace; default: here.")] = Path(),
) -> None:
    """Read a workspace into the index; what was read before and did not change is not read again."""
    _read("index.build", path)


def _rebuild(
    path: Annotated[Path, typer.Argument(metavar="[PATH]", help="Root of a workspace; default: here.")] = Path(),
) -> None:
    """Drop what is known of a workspace and read all of it again, whatever state its index is in."""
    _read("index.rebuild", path)


def _read(method: str, path: Path) -> None:
    root = folder(path)
    with _daemon() as daemon, share_progress() as progress:
        if progress.disable:
            notices().print(Text(f"reading {root}"))
        workspace = _ask(daemon, progress, method, root, {})
    print_table(_HEADINGS, workspace_rows({"workspaces": [workspace]}))


def _search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Identifiers, parts of them, or plain text.")],
    *,
    path: Annotated[Path, typer.Option("--in", metavar="PATH", help="Root of a workspace; default: here.")] = Path(),
    limit: Annotated[int, typer.Option("--limit", min=1, max=_MAX_LIMIT, help="Most pieces to show.")] = _LIMIT,
    as_json: AsJson = False,
) -> None:
    """Find pieces of a workspace's files that hold some of the words, the best first; rare words count more."""
    root = folder(path)
    with _daemon() as daemon, share_progress() as progress:
        found: list[dict[str, Any]] = _ask(daemon, progress, "index.search", root, {"words": words, "limit": limit})
    if as_json:
        asked = {"words": words, "path": str(root), "limit": limit}
        typer.echo(Report("index search", asked=asked, figures={"n_found": len(found)}, rows=found).as_json())
        return
    for chunk in found:
        name = f"  {chunk['name']}" if chunk["name"] else ""
        answers().print(Text(f"{chunk['relative']}:{chunk['line'] + 1}{name}", style="bold"))
        answers().print(Text(f"{chunk['text'].rstrip()}\n"), soft_wrap=True)
    if not found:
        notices().print(Text(f"nothing in {root} holds any of these words"))


def _daemon() -> ControlClient:
    return ControlClient.connect_or_start(Launcher(Paths.resolve()))


def _ask(daemon: ControlClient, progress: Progress, method: str, root: Path, params: Mapping[str, object]) -> Any:
    """Ask the daemon, which reads the workspace first."""
    bar = progress.add_task(f"reading {root.name}", total=None)
    return daemon.call(
        method,
        {"path": str(root), **params},
        lambda step: progress.update(bar, completed=step.get("n_done", 0), total=step.get("n_total") or None),
    )


def _status(*, as_json: AsJson = False) -> None:
    """Print what is indexed, what was left out and why."""
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        index = daemon.call("index.status")
    if as_json:
        typer.echo(_report(index).as_json())
        return
    print_table(_HEADINGS, workspace_rows(index))
    if not index.get("workspaces"):
        notices().print("no workspace is open now; `codeassistd index build` reads one, and all that was read is kept")
    for grammar in index.get("grammars_off", ()):
        typer.echo(f"off: {grammar}")


def _report(index: Mapping[str, Any]) -> Report:
    figures = dict(index)
    return Report("index status", figures=figures, rows=figures.pop("workspaces", ()))

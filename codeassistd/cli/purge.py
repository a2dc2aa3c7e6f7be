"""`purge`: takes away all that this program has put on the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from codeassistd.cli.install_service import service_here
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import agree_or_leave, is_conversation, print_table
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.errors import UsageError
from codeassistd.paths import Paths
from codeassistd.setup.installed import Installed, Item, Kind, is_unchanged, take_away
from codeassistd.setup.purge import Removal, plan_purge, refuse_beside_editors, remove, remove_empty

__all__ = ["register"]

_MEGABYTE = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("purge")(_purge)


def _purge(
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    keep_models: Annotated[bool, typer.Option("--keep-models", help="Leave the pulled models.")] = False,
    as_json: AsJson = False,
) -> None:
    """Stop the daemon, and remove its settings, models, index, history, log and caches, the service and the clients.

    Shows first what would go. No file of a workspace is touched, and no link is followed.
    """
    paths = Paths.resolve()
    installed = Installed(paths.installed_file)
    items, removals = installed.items(), plan_purge(paths, keep_models=keep_models)
    if not as_json:
        _show(items, removals)
    if not items and not removals:
        typer.echo(_report([], [], []).as_json() if as_json else "there is nothing of codeassistd to remove")
        return
    if not yes:
        _agree(can_ask=is_conversation() and not as_json)
    refuse_beside_editors(paths)
    problems = _take_items(installed, items)
    stop_daemon(paths)
    # Once more: the daemon saves what it has when it ends.
    removals = plan_purge(paths, keep_models=keep_models)
    problems += remove(removals)
    remove_empty(paths)
    if as_json:
        typer.echo(_report(items, removals, problems).as_json())
    else:
        n_freed = sum(one.n_bytes for one in removals) // _MEGABYTE
        typer.echo("not all was removed" if problems else f"removed, {n_freed:,} MB freed; now uninstall the program")
    for problem in problems:
        typer.echo(f"codeassistd: {problem}", err=True)
    if problems:
        raise typer.Exit(1)


def _show(items: Sequence[Item], removals: Sequence[Removal]) -> None:
    rows = [(str(one.path), f"{one.n_bytes / _MEGABYTE:,.1f} MB") for one in removals]
    rows += [(_where(item), item.kind.value) for item in items]
    if rows:
        print_table(("to be removed", "size"), rows)


def _agree(*, can_ask: bool) -> None:
    if not can_ask:
        raise UsageError("purge removes for good; where nobody can be asked it needs --yes")
    agree_or_leave("remove all that?", left="nothing was removed")


def _take_items(installed: Installed, items: Sequence[Item]) -> list[str]:
    """Take away what was put outside of our folders; answers what was left, and why."""
    problems = []
    for item in items:
        if item.kind is Kind.FILE and is_unchanged(item):
            # Ended before the daemon is stopped, or it would be started again.
            service_here().uninstall(installed)
        problem = take_away(item)
        if problem:
            problems.append(f"{_where(item)} was left: it {problem}")
    return problems


def _where(item: Item) -> str:
    return f"{item.mark} in {item.place}" if item.kind is Kind.EXTENSION else item.place


def _report(items: Sequence[Item], removals: Sequence[Removal], problems: Sequence[str]) -> Report:
    rows: list[dict[str, object]] = [{"place": str(one.path), "bytes": one.n_bytes} for one in removals]
    rows += [{"place": _where(item), "bytes": 0} for item in items]
    figures = {"bytes": sum(one.n_bytes for one in removals), "problems": list(problems)}
    return Report("purge", figures=figures, rows=rows)
